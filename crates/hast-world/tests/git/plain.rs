//! What is read and written without starting git is what git would have read and written; where a
//! repository is not in the plain form, git does it, with the same end.

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use hast_flow::attempt::base::{Base, ObjectId, attempt_ref};
use hast_flow::attempt::evidence::Breach;
use hast_flow::attempt::inspection::Inspection;
use hast_flow::attempt::workspace::{CommitPlan, Content, GitResult, GitStep, Identity, perform};
use hast_world::git::RealWorkspace;

use crate::fixture::{
    HANDOFF, Repo, Steps, assert_honest, at, attempt, changes, commit_plan, rules, save_plan,
};

const GOALS: &str = ".ai/goals.yaml";

fn work(repo: &Repo) {
    repo.write("src/lib.rs", "pub fn one() -> u32 { 2 }\n");
    repo.write("src/deep/er/새.rs", "// 새\n");
    repo.write("src-x", "beside a directory\n");
    repo.write("src.x", "before a directory\n");
    repo.remove("tests/it.rs");
    repo.mode("src/main.rs", 0o755);
    symlink("lib.rs", repo.path("src/link")).unwrap();
    repo.write(".ai/handoffs/2026-02-09_143000.md", HANDOFF);
}

/// An attempt that passes, and then the goals file.
fn passes(repo: &Repo) -> (ObjectId, ObjectId) {
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    work(repo);
    let found = workspace.see(&base);
    assert_honest(&found);
    let first = workspace.settle(&base, &found);
    (first.clone(), goals(repo, &mut workspace, &base, first))
}

fn goals(repo: &Repo, workspace: &mut RealWorkspace, base: &Base, parent: ObjectId) -> ObjectId {
    repo.write(GOALS, "goals: [done]\n");
    let plan = CommitPlan {
        content: Content::File { path: GOALS.into() },
        parent: parent.clone(),
        message: "chore(M1): goal status\n".into(),
        at: at(),
        identity: Identity::Users,
    };
    let GitResult::Built { commit } = perform(workspace, &GitStep::Build { plan }) else {
        panic!("not built")
    };
    let (branch, to) = (base.branch().to_owned(), commit.clone());
    let advance = GitStep::Advance { branch, from: parent, to };
    assert_eq!(perform(workspace, &advance), GitResult::Advanced);
    commit
}

/// Git finds nothing wrong, and its own index agrees with the commit and the files.
fn assert_sound(repo: &Repo, (first, last): &(ObjectId, ObjectId)) {
    repo.git(&["fsck", "--strict", "--full"]);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert_eq!(repo.git(&["rev-parse", "HEAD", "HEAD^"]), format!("{last}\n{first}"));
    let tree = |name: &str| repo.git(&["rev-parse", &format!("{name}^{{tree}}")]);
    assert_eq!(repo.git(&["write-tree"]), tree("HEAD"));
    assert_eq!(repo.git(&["diff", "--name-only", "HEAD^", "HEAD"]), GOALS);
    // The same from nothing, by git alone.
    repo.git(&["read-tree", "--empty"]);
    repo.git(&["add", "-A"]);
    assert_eq!(repo.git(&["write-tree"]), tree("HEAD"));
    let text = repo.git(&["cat-file", "commit", first.as_str()]);
    let parent = repo.git(&["rev-parse", "HEAD~2"]);
    let seconds = at().instant().as_second();
    let who = repo.git(&["log", "-1", "--format=%an <%ae>", first.as_str()]);
    let wanted = format!(
        "tree {}\nparent {parent}\nauthor {who} {seconds} +0000\ncommitter {who} {seconds} +0000\n\n\
         feat(M1): it\n\nHast-Goal: M1",
        tree(first.as_str())
    );
    assert_eq!(text, wanted);
}

#[test]
fn trees_and_commits_are_those_that_git_makes() {
    let repo = Repo::new();
    assert_sound(&repo, &passes(&repo));
}

#[test]
fn a_name_that_git_would_clean_is_git_s_to_clean() {
    let repo = Repo::new();
    repo.git(&["config", "user.name", " <Odd> "]);
    repo.git(&["config", "user.email", "odd@localhost"]);
    let made = passes(&repo);
    assert_eq!(repo.git(&["log", "-1", "--format=%an|%ae"]), "Odd|odd@localhost");
    assert_sound(&repo, &made);
}

/// The same attempt in a repository that is not plain in some way.
fn same_in(repo: &Repo) {
    let found: Inspection = attempt(repo, work);
    let wanted = [
        "M src/lib.rs",
        "X src/main.rs",
        "A src-x",
        "A src.x",
        "A src/deep/er/새.rs",
        "H src/link",
        "D tests/it.rs",
    ];
    let (mut seen, mut wanted) = (changes(&found), wanted.map(str::to_owned).to_vec());
    seen.sort();
    wanted.sort();
    assert_eq!(seen, wanted);
    assert_sound(repo, &passes(repo));
}

#[test]
fn packed_refs_and_packed_objects_make_no_difference() {
    let repo = Repo::new();
    repo.git(&["branch", "other"]);
    repo.git(&["tag", "-a", "-m", "annotated", "v1"]);
    repo.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/heads/other"]);
    repo.git(&["gc", "-q"]);
    assert!(!repo.path(".git/refs/heads/main").exists());
    same_in(&repo);
}

#[test]
fn an_index_in_another_form_makes_no_difference() {
    for form in [&["--index-version", "4"][..], &["--split-index"], &["--force-write-index"]] {
        let repo = Repo::new();
        repo.git(&[&["update-index"], form].concat());
        same_in(&repo);
    }
}

#[test]
fn a_repository_with_a_longer_hash_or_another_store_of_refs_makes_no_difference() {
    for form in ["--object-format=sha256", "--ref-format=reftable"] {
        let mut repo = Repo::new();
        std::fs::remove_dir_all(repo.path(".git")).unwrap();
        repo.git(&["init", "-q", "-b", "main", form]);
        repo.commit_all("first");
        repo.environment.config_home = None;
        same_in(&repo);
    }
}

#[test]
fn where_refs_are_not_in_files_head_is_left_as_git_made_it() {
    let mut repo = Repo::new();
    std::fs::remove_dir_all(repo.path(".git")).unwrap();
    repo.git(&["init", "-q", "-b", "main", "--ref-format=reftable"]);
    repo.commit_all("first");
    repo.environment.config_home = None;
    let before = repo.read(".git/HEAD");
    let found = attempt(&repo, |repo| repo.write("a", "1"));
    assert_eq!((found.breaches.len(), found.protected.len()), (0, 0), "{found:?}");
    assert_eq!(repo.read(".git/HEAD"), before);
    let found = attempt(&repo, |repo| repo.write(".git/HEAD", "garbage\n"));
    assert_eq!(found.protected.len(), 1, "{found:?}");
    assert_eq!(repo.read(".git/HEAD"), before);
    assert_eq!(repo.git(&["branch", "--show-current"]).trim(), "main");
}

#[test]
fn an_object_that_was_put_there_to_be_taken_for_ours_is_written_again() {
    let repo = Repo::new();
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write("src/lib.rs", "pub fn one() -> u32 { 2 }\n");
    let found = workspace.see(&base);
    // The agent knows what tree comes out, and where it will be.
    let (directory, name) = found.tree.as_str().split_at(2);
    let object = format!(".git/objects/{directory}/{name}");
    std::fs::remove_file(repo.path(&object)).unwrap();
    repo.write(&object, "no object");
    let found = workspace.see(&base);
    workspace.settle(&base, &found);
    repo.git(&["fsck", "--strict", "--full"]);
}

#[test]
fn a_moved_a_linked_and_a_dangling_ref_are_seen_without_git_and_with_it() {
    let repo = Repo::new();
    let moved = |found: &Inspection, name: &str| {
        found.breaches.contains(&Breach::RefMoved { name: name.to_owned() })
    };
    let found = attempt(&repo, |repo| {
        repo.git(&["branch", "added"]);
    });
    assert!(moved(&found, "refs/heads/added"));
    let found = attempt(&repo, |repo| {
        symlink("main", repo.path(".git/refs/heads/linked")).unwrap();
    });
    assert!(moved(&found, "refs/heads/linked"));
    let found = attempt(&repo, |repo| {
        repo.git(&["tag", "packed"]);
        repo.git(&["pack-refs", "--all"]);
    });
    assert!(moved(&found, "refs/tags/packed"));
}

#[test]
fn a_ref_of_ours_is_not_moved_from_where_it_is_not() {
    let repo = Repo::new();
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write("new", "1");
    let saved = workspace.put_safe(&base);
    // Somebody else locks it: that is told, and their lock stays.
    let lock: PathBuf = repo.path(&format!(".git/{}.lock", attempt_ref("M1", 1)));
    repo.write(&format!(".git/{}.lock", attempt_ref("M1", 1)), "");
    repo.write("new", "2");
    let result = perform(&mut workspace, &GitStep::Save(save_plan(Some(&base))));
    assert!(matches!(result, GitResult::Refused(_)), "{result:?}");
    assert!(lock.exists());
    std::fs::remove_file(&lock).unwrap();
    let again = workspace.put_safe(&base);
    assert_ne!(again.work().commit, saved.work().commit);
    let parents = repo.git(&["log", "-1", "--format=%P", again.work().commit.as_str()]);
    assert_eq!(parents, format!("{} {}", base.commit(), saved.work().commit));
}

#[test]
fn a_death_while_a_ref_is_made_is_in_nobodys_way() {
    let repo = Repo::new();
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write("new", "1");
    // Whoever died had written the file, and given it its name, and not taken the other away.
    let gone = ".git/hast/ref-4194305-0";
    let name = format!(".git/{}", attempt_ref("M1", 1));
    repo.write(gone, format!("{}\n", base.commit()));
    std::fs::create_dir_all(repo.path(&name).parent().unwrap()).unwrap();
    std::fs::hard_link(repo.path(gone), repo.path(&name)).unwrap();
    let mut next = repo.open();
    assert!(!repo.path(gone).exists());
    let saved = next.put_safe(&base);
    assert_eq!(repo.git(&["rev-parse", &attempt_ref("M1", 1)]), saved.work().commit.as_str());
    next.back(&base, &saved);
    let lock = |entry: std::fs::DirEntry| entry.path().extension().is_some_and(|e| e == "lock");
    let directory = repo.path(&name).parent().unwrap().to_owned();
    assert!(!std::fs::read_dir(directory).unwrap().any(|entry| lock(entry.unwrap())));
}

#[test]
fn a_configuration_that_changed_meanwhile_is_read_again() {
    let repo = Repo::new();
    let author = |repo: &Repo| repo.git(&["log", "-1", "--format=%an"]);
    let mut workspace = repo.open();
    for (place, name) in [("one", "First"), ("two", "Second")] {
        let base = workspace.start(&rules());
        let text = format!("[user]\n name = {name}\n email = a@localhost\n");
        repo.write("../home/.gitconfig", text);
        repo.write(place, "1");
        let found = workspace.see(&base);
        workspace.settle(&base, &found);
        assert_eq!(author(&repo), name);
    }
    // A file that is only included counts as well.
    repo.write("../home/.gitconfig", "[include]\n path = more\n");
    for name in ["Third", "Fourth"] {
        let base = workspace.start(&rules());
        let text = format!("[user]\n name = {name}\n email = a@localhost\n");
        repo.write("../home/more", text);
        repo.write(name, "1");
        let found = workspace.see(&base);
        assert_eq!(commit_plan(&found).identity, Identity::Users);
        workspace.settle(&base, &found);
        assert_eq!(author(&repo), name);
    }
}
