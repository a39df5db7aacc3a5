//! Objects of git with another content than their names say: neither committed nor given back.

use std::fs;
use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use hast_flow::attempt::base::{Base, ObjectId};
use hast_flow::attempt::evidence::{Breach, RepoPath};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{GitResult, GitStep, HookVerdict, perform};
use hast_world::git::RealWorkspace;
use sha1::{Digest, Sha1};

use crate::fixture::{Repo, Steps, assert_honest, commit_plan, rules};

fn loose(id: &str) -> String {
    format!(".git/objects/{}/{}", &id[..2], &id[2..])
}

/// A loose object of some name with some content.
fn forge(repo: &Repo, id: &str, kind: &str, content: &[u8]) {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(format!("{kind} {}\0", content.len()).as_bytes()).unwrap();
    packed.write_all(content).unwrap();
    let _ = fs::remove_file(repo.path(&loose(id)));
    repo.write(&loose(id), packed.finish().unwrap());
}

/// A pack with one object of that kind.
fn forge_packed(repo: &Repo, id: &str, content: &str) {
    repo.write("../evil", content);
    let evil = repo.git(&["hash-object", "-w", "../evil"]);
    repo.write("../names", format!("{evil}\n"));
    let pack = ".git/objects/pack/pack";
    let shell = format!("git pack-objects -q {pack} < ../names");
    let alias = format!("alias.sh=!{shell}");
    let name = repo.git(&["-c", &alias, "sh"]);
    let index = format!("{pack}-{name}.idx");
    let mut bytes = fs::read(repo.path(&index)).unwrap();
    let raw: Vec<u8> =
        (0..20).map(|at| u8::from_str_radix(&id[2 * at..2 * at + 2], 16).unwrap()).collect();
    for byte in 0..256 {
        let count = u32::from(byte >= usize::from(raw[0]));
        bytes[8 + 4 * byte..][..4].copy_from_slice(&count.to_be_bytes());
    }
    bytes[8 + 1024..][..20].copy_from_slice(&raw);
    let end = bytes.len() - 20;
    let sum = Sha1::digest(&bytes[..end]);
    bytes[end..].copy_from_slice(&sum);
    repo.remove(&index);
    repo.write(&index, bytes);
}

fn named(repo: &Repo, path: &str) -> String {
    repo.git(&["hash-object", path])
}

fn forged(path: &str) -> Vec<Breach> {
    vec![Breach::ForgedObject { path: RepoPath(path.into()) }]
}

fn read(repo: &Repo, tree: &ObjectId, path: &str) -> String {
    repo.git(&["cat-file", "blob", &format!("{tree}:{path}")])
}

#[test]
fn a_forged_object_of_a_new_file_fails_the_attempt_and_the_true_one_is_written() {
    // By our own reading, and by git's where objects are not ours to write.
    for shared in [false, true] {
        let repo = Repo::new();
        if shared {
            repo.git(&["config", "core.sharedRepository", "group"]);
        }
        let files = repo.files();
        let mut workspace = repo.open();
        let base = workspace.start(&rules());
        repo.write("src/lib.rs", "good\n");
        let id = named(&repo, "src/lib.rs");
        forge(&repo, &id, "blob", b"EVIL\n");
        let found = workspace.see(&base);
        assert_eq!(found.breaches, forged("src/lib.rs"));
        assert_eq!(found.given_back.files[0].path, loose(&id));
        assert_eq!(read(&repo, &found.commit_tree, "src/lib.rs"), "good");
        // A process that died before it could tell is told again.
        let again = repo.open().see(&base);
        assert_eq!(again.breaches, forged(&loose(&id)));
        let saved = workspace.put_safe(&base);
        assert_eq!(read(&repo, &saved.work().tree, "src/lib.rs"), "good");
        workspace.back(&base, &saved);
        assert_eq!(repo.files(), files);
        repo.git(&["fsck"]);
    }
}

#[test]
fn what_lies_there_and_is_no_object_is_put_aside_too() {
    type Put = fn(&Repo, &str);
    let puts: [Put; 4] = [
        |repo, path| repo.write(path, ""),
        |repo, path| repo.write(path, "no zlib"),
        |repo, path| fs::create_dir_all(repo.path(path)).unwrap(),
        |repo, path| {
            repo.write("../evil", "x");
            fs::create_dir_all(repo.path(path).parent().unwrap()).unwrap();
            std::os::unix::fs::symlink("../../../../evil", repo.path(path)).unwrap();
        },
    ];
    for put in puts {
        let repo = Repo::new();
        let mut workspace = repo.open();
        let base = workspace.start(&rules());
        repo.write("a", "good\n");
        put(&repo, &loose(&named(&repo, "a")));
        let found = workspace.see(&base);
        assert_eq!(found.breaches, forged("a"));
        assert_eq!(read(&repo, &found.commit_tree, "a"), "good");
    }
}

#[test]
fn a_forged_pack_is_found_also_where_the_true_object_lies_beside() {
    for beside in [false, true] {
        let repo = Repo::new();
        let mut workspace = repo.open();
        let base = workspace.start(&rules());
        repo.write("a", "good\n");
        let id = named(&repo, "a");
        if beside {
            repo.git(&["hash-object", "-w", "a"]);
        }
        forge_packed(&repo, &id, "EVIL\n");
        assert_eq!(repo.git(&["cat-file", "blob", &id]), "EVIL", "git takes the packed one");
        assert_eq!(workspace.see(&base).breaches, forged("a"));
    }
}

#[test]
fn content_that_is_packed_already_or_was_added_before_is_no_forgery() {
    let repo = Repo::new();
    repo.git(&["gc", "-q"]);
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write("copy.rs", repo.read("src/lib.rs"));
    repo.write("b", "b\n");
    repo.git(&["add", "b"]);
    assert_honest(&workspace.see(&base));
    repo.git(&["gc", "-q"]);
    assert_honest(&workspace.see(&base));
}

fn start_with_broken(repo: &Repo, path: &str) -> (RealWorkspace, Base) {
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write(path, "broken\n");
    (workspace, base)
}

#[test]
fn a_rollback_never_writes_a_forged_object() {
    let repo = Repo::new();
    let id = named(&repo, "tests/it.rs");
    let (mut workspace, base) = start_with_broken(&repo, "tests/it.rs");
    forge(&repo, &id, "blob", b"true\n");
    workspace.see(&base);
    let saved = workspace.put_safe(&base);
    let lost = GitProblem::Lost { what: format!("tests/it.rs ({id})") };
    assert_eq!(workspace.try_back(&base, &saved), Err(lost.clone()));
    assert_eq!(repo.read("tests/it.rs"), "broken\n");
    // Nor does a later process, until the object is there again.
    let mut later = repo.open();
    let saved = later.put_safe(&base);
    assert_eq!(later.try_back(&base, &saved), Err(lost));
    repo.write("../it.rs", "// test\n");
    assert_eq!(repo.git(&["hash-object", "-w", "../it.rs"]), id);
    let saved = later.put_safe(&base);
    later.back(&base, &saved);
    assert_eq!(repo.read("tests/it.rs"), "// test\n");
}

#[test]
fn a_rollback_gives_back_what_is_packed_whatever_lies_in_front_of_it() {
    let repo = Repo::new();
    repo.git(&["gc", "-q"]);
    let id = named(&repo, "tests/it.rs");
    let (mut workspace, base) = start_with_broken(&repo, "tests/it.rs");
    forge(&repo, &id, "blob", b"true\n");
    workspace.see(&base);
    let saved = workspace.put_safe(&base);
    workspace.back(&base, &saved);
    assert_eq!(repo.read("tests/it.rs"), "// test\n");
    repo.git(&["fsck"]);
}

#[test]
fn a_protected_file_is_not_given_back_from_a_forged_object() {
    let repo = Repo::new();
    repo.write("key.pem", "key\n");
    repo.commit_all("key");
    let id = named(&repo, "key.pem");
    let (mut workspace, base) = start_with_broken(&repo, "key.pem");
    forge(&repo, &id, "blob", b"evil\n");
    let found = perform(&mut workspace, &GitStep::Inspect { base });
    let GitResult::Refused(GitProblem::Lost { what }) = found else { panic!("{found:?}") };
    assert_eq!(what, format!("key.pem ({id})"));
}

#[test]
fn a_forged_tree_is_found() {
    let repo = Repo::new();
    repo.write("../evil", "evil\n");
    let evil = repo.git(&["hash-object", "-w", "../evil"]);
    let tree = repo.git(&["rev-parse", "HEAD:tests"]);
    let (mut workspace, base) = start_with_broken(&repo, "tests/it.rs");
    let raw = (0..20).map(|at| u8::from_str_radix(&evil[2 * at..2 * at + 2], 16).unwrap());
    let content: Vec<u8> = b"100644 it.rs\0".iter().copied().chain(raw).collect();
    forge(&repo, &tree, "tree", &content);
    workspace.see(&base);
    let saved = workspace.put_safe(&base);
    let back = workspace.try_back(&base, &saved);
    assert!(matches!(back, Err(GitProblem::Lost { .. })), "{back:?}");
}

#[test]
fn a_forged_record_of_a_start_is_a_lost_one() {
    let repo = Repo::new();
    let base = repo.open().start(&rules());
    let id = base.snapshot().to_string();
    let whole = repo.git(&["cat-file", "blob", &id]);
    forge(
        &repo,
        &id,
        "blob",
        whole.replace("hooks/pre-commit.sample", "hooks/pre-commit").as_bytes(),
    );
    let step = GitStep::Inspect { base };
    let found = perform(&mut repo.open(), &step);
    assert_eq!(found, GitResult::Refused(GitProblem::Lost { what: id }));
    assert!(!repo.path(".git/hooks/pre-commit").exists());
}

/// Tests and hooks are the agent's too, and run after everything was looked at.
#[test]
fn an_object_that_is_replaced_after_the_inspection_is_true_again_before_the_commit() {
    for gone in [false, true] {
        let repo = Repo::new();
        let mut workspace = repo.open();
        let base = workspace.start(&rules());
        repo.write("src/new.rs", "good\n");
        let found = workspace.see(&base);
        assert_honest(&found);
        let id = named(&repo, "src/new.rs");
        forge(&repo, &id, "blob", b"EVIL\n");
        let tree = repo.git(&["rev-parse", &format!("{}:src", found.commit_tree)]);
        forge(&repo, &tree, "tree", b"");
        if gone {
            repo.write("src/new.rs", "other\n");
        }
        let step = GitStep::RunHooks { plan: commit_plan(&found), base: base.clone() };
        let GitResult::Hooks(verdict) = perform(&mut workspace, &step) else { panic!() };
        if gone {
            assert_eq!(verdict, HookVerdict::Strayed { what: vec!["src/new.rs".into()] });
            continue;
        }
        assert!(matches!(verdict, HookVerdict::Passed { .. }), "{verdict:?}");
        workspace.settle(&base, &found);
        assert_eq!(repo.git(&["show", "HEAD:src/new.rs"]), "good");
        repo.git(&["fsck"]);
    }
}
