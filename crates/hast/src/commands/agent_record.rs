//! `hast agent record`: a rehearsal from the records of a call that is over. It reads; what it makes
//! is its result.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use hast_flow::agents::outbox::Files;
use hast_flow::agents::redact::{Redactor, names_a_secret};
use hast_flow::agents::rehearsal::recording::{
    Change, MAX_FILE_BYTES, Recorded, Recording, recording, say as words,
};
use hast_flow::docs::call::Call;
use hast_flow::docs::call_record::CallRecord;
use hast_flow::docs::document::{Document, read};
use hast_flow::docs::rehearsal::Mode;
use hast_flow::formats::source::{MAX_DOCUMENT_BYTES, Source};
use hast_flow::process::environment::filtered;
use hast_flow::process::exit::Exit as ProcessExit;
use hast_flow::process::{CommandSpec, Limits, Supervisor};
use hast_world::files::{self, PathError};
use hast_world::root_path::RootPath;
use hast_world::supervisor::Guarded;
use serde_json::json;

use crate::app::App;
use crate::cli::RecordArgs;
use crate::messages::say;
use crate::problem::{Exit, Problem, diagnostic_text};

/// More of a kept stream is not read; the recording keeps less.
const MAX_STREAM_BYTES: usize = 16 << 20;
/// What git may tell of changed files.
const MAX_GIT_BYTES: usize = 64 << 20;

pub(crate) fn run(app: &mut App, args: &RecordArgs) -> Result<Exit, Problem> {
    let folder = app.directory.join(&args.folder);
    if !folder.is_dir() {
        let next = say::no_record_next(app.lang);
        return Err(Problem::new(say::no_record(app.lang), next).at(&folder));
    }
    let call: Call = document(app, &folder.join("call.json"))?;
    let record: CallRecord = document(app, &folder.join("record.json"))?;
    let stdout = bytes(app, &folder.join("stdout.txt"), MAX_STREAM_BYTES)?;
    let stderr = bytes(app, &folder.join("stderr.txt"), MAX_STREAM_BYTES)?;
    let outbox = outbox(app, &folder.join("outbox"))?;
    let mut notes = Vec::new();
    let tree = match &args.base {
        Some(base) => changes(app, &call, base, &mut notes)?,
        None => handoff_alone(&call),
    };
    let recorded = Recorded {
        call: &call,
        record: &record,
        stdout: &stdout,
        stderr: &stderr,
        outbox: &outbox,
        tree: &tree,
    };
    let Recording { text, mut left_out } = recording(recorded, &redactor(), app.lang);
    left_out.append(&mut notes);
    if !app.quiet {
        left_out.iter().for_each(|line| app.output.message(&format!("{line}\n")));
    }
    if app.json {
        app.print_json(&json!({ "rehearsal": text, "left_out": left_out }))?;
    } else {
        app.print(&text)?;
    }
    Ok(Exit::Done)
}

fn document<D: Document>(app: &mut App, path: &Path) -> Result<D, Problem> {
    let bytes = files::read_named(path, MAX_DOCUMENT_BYTES)
        .map_err(|error| Problem::cannot_read(app.lang, path, &error.source))?;
    let name = path.display().to_string();
    let found = Source::from_bytes(&name, &bytes)
        .map_err(|finding| vec![finding])
        .and_then(|source| read::<D>(&source));
    found.map(|read| read.value).map_err(|findings| {
        for finding in &findings {
            let text = diagnostic_text(finding, app.lang, &app.output.message_renderer());
            app.output.message(&text);
        }
        Problem::new(say::no_record(app.lang), say::no_record_next(app.lang)).at(path)
    })
}

fn bytes(app: &App, path: &Path, limit: usize) -> Result<Vec<u8>, Problem> {
    match files::read_named(path, limit) {
        Err(error) if error.source.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        read => read.map_err(|error| Problem::cannot_read(app.lang, path, &error.source)),
    }
}

fn outbox(app: &App, directory: &Path) -> Result<Files, Problem> {
    let cannot = |error: PathError| Problem::cannot_read(app.lang, directory, &error.source);
    let outbox = RootPath::of_user(directory).map_err(cannot)?;
    let mut kept = Files::new();
    for name in outbox.names().map_err(cannot)? {
        // What is no file was no document either.
        if let Ok(bytes) = outbox.join(&name).read_bounded(MAX_FILE_BYTES) {
            kept.insert(name, bytes);
        }
    }
    Ok(kept)
}

/// Secrets by the names of this user's variables, as when the call was made.
fn redactor() -> Redactor {
    let secrets: Vec<(String, String)> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| names_a_secret(name))
        .collect();
    Redactor::new(secrets.iter().map(|(name, value)| (&**name, &**value)))
}

/// Without a base to compare with only the handoff is known to be of this call.
fn handoff_alone(call: &Call) -> Vec<(String, Change)> {
    let Some(handoff) = &call.handoff_path else { return Vec::new() };
    let below = handoff.strip_prefix(&*call.workdir).map(|rest| rest.trim_start_matches('/'));
    match below.map(|path| (path.to_owned(), now_at(Path::new(handoff), Was::Other))) {
        Some((path, change @ Change::File { .. })) => vec![(path, change)],
        _ => Vec::new(),
    }
}

/// What is different from the base: tracked files by git's word, and files that are new.
fn changes(
    app: &App,
    call: &Call,
    base: &str,
    notes: &mut Vec<String>,
) -> Result<Vec<(String, Change)>, Problem> {
    let tree = Path::new(&call.workdir);
    let commit = format!("{base}^{{commit}}");
    let known = git(app, tree, &["rev-parse", "--verify", "--end-of-options", &commit])?;
    let base = String::from_utf8_lossy(&known).trim().to_owned();
    let raw = ["diff", "--raw", "-z", "--no-renames", "--no-ext-diff", "--relative", &base, "--"];
    let tracked = git(app, tree, &raw)?;
    let new = git(app, tree, &["ls-files", "-z", "--others", "--exclude-standard"])?;
    let commits = git(app, tree, &["rev-list", "--count", &format!("{base}..HEAD"), "--"])?;
    let commits = String::from_utf8_lossy(&commits).trim().to_owned();
    if commits != "0" {
        notes.push(words::commits(app.lang, commits));
    }
    let mut paths = tracked_paths(&tracked);
    paths.extend(parts(&new).map(|path| (path, Was::Other)));
    let all = paths.len();
    let mut changes: Vec<(String, Change)> = paths
        .into_iter()
        .filter_map(|(path, was)| Some((String::from_utf8(path.to_vec()).ok()?, was)))
        .map(|(path, was)| (path.clone(), now_at(&tree.join(&path), was)))
        .collect();
    if changes.len() < all {
        notes.push(words::other_name(app.lang, all - changes.len()));
    }
    // An ignored handoff is still one.
    for (path, change) in handoff_alone(call) {
        if !changes.iter().any(|(known, _)| *known == path) {
            changes.push((path, change));
        }
    }
    Ok(changes)
}

/// What a file was at the base, as far as writing it again does not change it.
#[derive(Clone, Copy, PartialEq)]
enum Was {
    Executable,
    Other,
    /// It is gone, also where a directory has its name now.
    Gone,
}

/// `:100755 100644 SHA SHA M`, then the path, each ended by a NUL.
fn tracked_paths(raw: &[u8]) -> BTreeMap<&[u8], Was> {
    let mut fields = parts(raw);
    let mut paths = BTreeMap::new();
    while let (Some(modes), Some(path)) = (fields.next(), fields.next()) {
        let was = match modes {
            gone if gone.ends_with(b" D") => Was::Gone,
            modes if modes.starts_with(b":100755") => Was::Executable,
            _ => Was::Other,
        };
        paths.insert(path, was);
    }
    paths
}

fn parts(listed: &[u8]) -> impl Iterator<Item = &[u8]> {
    listed.split(|byte| *byte == 0).filter(|part| !part.is_empty())
}

fn now_at(path: &Path, was: Was) -> Change {
    let Ok(metadata) = fs::symlink_metadata(path) else { return Change::Deleted };
    if was == Was::Gone {
        return Change::Deleted;
    }
    if metadata.is_symlink() {
        return match fs::read_link(path).map(|target| target.into_os_string().into_string()) {
            Ok(Ok(target)) => Change::Link { target },
            _ => Change::LeftOut,
        };
    }
    let mode = match (metadata.permissions().mode() & 0o111 != 0, was) {
        (true, _) => Some("755"),
        (false, Was::Executable) => Some("644"),
        (false, Was::Other | Was::Gone) => None,
    };
    match files::read_named(path, MAX_FILE_BYTES) {
        Ok(bytes) => Change::File { bytes, mode: mode.map(|mode| Mode(mode.to_owned())) },
        Err(_) => Change::LeftOut,
    }
}

/// What git says; it looks, and runs nothing that the repository brings.
fn git(app: &App, tree: &Path, args: &[&str]) -> Result<Vec<u8>, Problem> {
    let problem = |why: String| {
        Problem::new(say::no_git_answer(app.lang), say::no_git_answer_next(app.lang))
            .at(tree)
            .because(why)
    };
    let safe = ["--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
    let mut spec = CommandSpec::new("git", tree).args(safe).args(args.iter().copied());
    spec.env = filtered(std::env::vars_os(), &[]);
    for (name, value) in [("GIT_OPTIONAL_LOCKS", "0"), ("LC_ALL", "C")] {
        spec.env.insert(OsString::from(name), OsString::from(value));
    }
    let limits = Limits { head: MAX_GIT_BYTES, tail: 0, ..Limits::default() };
    let guarded = Guarded::new(std::env::temp_dir()).map_err(|error| problem(error.to_string()))?;
    let ended = guarded.run(&spec, &limits, &mut |_, _| ControlFlow::Continue(()));
    match ended.exit {
        ProcessExit::Exited(0) => Ok(ended.stdout.head),
        exit => {
            let said = ended.stderr.text();
            let said = said.trim();
            Err(problem(if said.is_empty() { exit.what(app.lang) } else { said.to_owned() }))
        }
    }
}
