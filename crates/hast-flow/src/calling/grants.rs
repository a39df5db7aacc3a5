//! Grants are the paths that the sandbox of a call opens, and those inside of them that it closes
//! or hides again. They follow from the place of the call, the configuration and the layout of git.
//! This module computes paths and enforces nothing.

use std::path::{Path, PathBuf};

use crate::docs::call::CallGrants;
use crate::docs::files::FlowName;
use crate::docs::goals::{Config, SandboxMode as Wanted};
use crate::process::{RoomMounts, Sandbox, SandboxMode};
use crate::steps::Place;

/// The directories that a call is about, absolute, and how git is laid out there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ground {
    /// The project, with `.ai`.
    pub root: PathBuf,
    /// The top of the tree that the agent works in, as the agent sees it.
    pub tree: PathBuf,
    /// The room that is mounted there; none where the tree is seen at its own path.
    pub room: Option<RoomMounts>,
    /// The directory that has `.hast`.
    pub state: PathBuf,
    /// What the flow's documents are below.
    pub documents: PathBuf,
    /// What of the project is open to a call that may change a part of it.
    pub within: Vec<PathBuf>,
    pub git: Option<GitLayout>,
    pub outbox: PathBuf,
    /// Where the agent keeps its own settings and sessions.
    pub homes: Vec<PathBuf>,
    pub user_home: Option<PathBuf>,
}

/// Where git keeps what belongs to a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitLayout {
    /// What all trees of the repository share.
    pub common: PathBuf,
    /// What belongs to this tree alone; the same as `common` for the main one.
    pub own: PathBuf,
    /// The branch, as a full ref name.
    pub branch: Option<String>,
}

/// The sandbox of a call.
pub fn sandbox(place: &Place, ground: &Ground, config: &Config) -> Sandbox {
    let mode = match config.sandbox.unwrap_or(Wanted::Prefer) {
        Wanted::Enforce => SandboxMode::Enforce,
        Wanted::Prefer => SandboxMode::Prefer,
        Wanted::Off => return Sandbox::off(),
    };
    Sandbox { mode, ..granted(place, ground, config) }
}

/// The same as the call is told it, with what it may read.
pub fn told(place: &Place, workdir: &str, ground: &Ground, config: &Config) -> CallGrants {
    let Sandbox { writable, closed, hidden, .. } = granted(place, ground, config);
    let texts = |paths: Vec<PathBuf>| -> Vec<String> {
        paths.iter().filter_map(|path| path.to_str()).map(str::to_owned).collect()
    };
    let mut read = vec![workdir.to_owned()];
    if *place != Place::Copies {
        read.extend(texts(vec![ground.tree.clone()]));
    }
    read.dedup();
    CallGrants { read, write: texts(writable), closed: texts(closed), hidden: texts(hidden) }
}

/// What a call may write, whether or not a sandbox holds it to that.
pub fn granted(place: &Place, ground: &Ground, config: &Config) -> Sandbox {
    let mode = SandboxMode::Off;
    let mut writable = vec![ground.outbox.clone()];
    writable.extend(ground.homes.iter().cloned());
    // Its own directory stays in sight, and nothing of it but the outbox is its to write.
    let mut closed: Vec<PathBuf> = ground.outbox.parent().map(Path::to_owned).into_iter().collect();
    let mut hidden = vec![ground.state.join(".hast/calls")];
    match place {
        // Nothing but what every call gets: a reader leaves no cache behind either.
        Place::Reading => return Sandbox { mode, writable, closed, hidden, room: None },
        Place::Copies => {
            hidden.extend(documents_of_units(ground));
            return Sandbox { mode, writable, closed, hidden, room: None };
        }
        Place::Within(writes) if writes.is_empty() => {
            return Sandbox { mode, writable, closed, hidden, room: None };
        }
        Place::Within(_) => {
            closed.extend([&ground.documents, &ground.state].map(|path| path.join(".hast")));
            closed.extend([ground.root.join(".ai"), ground.documents.clone()]);
            closed.extend(ground.git.iter().flat_map(|git| [git.common.clone(), git.own.clone()]));
            closed.retain(|path| *path != ground.root);
            let is_ours = |path: &&PathBuf| !closed.iter().any(|closed| path.starts_with(closed));
            writable.extend(ground.within.iter().filter(is_ours).cloned());
        }
        Place::Worktree(_) | Place::Viewing(_) => {
            // Other rooms, and hast's own part of this one, are nobody's to see.
            hidden.extend(ground.on_disk().parent().and_then(Path::parent).map(Path::to_owned));
            let common = ground.room.as_ref().and_then(|room| room.objects.parent());
            hidden.extend(common.map(|common| common.join("hast")));
            if let Place::Viewing(_) = place {
                let room = ground.room.clone();
                return Sandbox { mode, writable, closed, hidden, room };
            }
            writable.push(ground.tree.clone());
        }
        Place::Checkout => {
            writable.push(ground.tree.clone());
            writable.push(ground.root.join(".ai/handoffs"));
            if let Some(git) = &ground.git {
                writable.extend(outside_of(&ground.tree, git));
                closed.extend(
                    ["hooks", "config", "info", "modules"].map(|name| git.common.join(name)),
                );
                closed.push(git.own.join("config.worktree"));
                // What keeps the start of the attempt from being pruned, and tells where it was.
                closed.push(git.common.join("refs/hast"));
                closed.push(git.own.join("hast/start"));
                // What hast put aside is there and nowhere else.
                closed.extend([&git.common, &git.own].map(|path| path.join("hast")));
                // Other work trees are somebody's; the entry of this one, if it has one, is open.
                let main = git.own == git.common;
                closed.extend(main.then(|| git.common.join("worktrees")));
                // What the main one's user did is told by its log.
                closed.extend((!main).then(|| git.common.join("logs/HEAD")));
            }
            closed.push(ground.root.join(".ai"));
            closed.push(ground.root.join(FlowName::Contract.marker()));
            closed.push(ground.state.join(".hast"));
        }
    }
    let home = ground.user_home.as_deref();
    writable.extend(config.sandbox_write.iter().filter_map(|path| named(path, &ground.root, home)));
    closed.sort();
    closed.dedup();
    Sandbox { mode, writable, closed, hidden, room: ground.room.clone() }
}

impl Ground {
    /// The tree as hast finds it.
    pub fn on_disk(&self) -> &Path {
        self.room.as_ref().map_or(&self.tree, |room| &room.tree)
    }
}

/// The documents of the flow, and those beside them, which are other units' documents. What the call
/// itself needs stays in sight.
fn documents_of_units(ground: &Ground) -> Option<PathBuf> {
    let beside = ground.documents.parent().filter(|above| above.starts_with(&ground.root));
    let beside = beside.filter(|above| **above != ground.root);
    let documents = (ground.documents != ground.root).then_some(ground.documents.as_path());
    let hidden = beside.or(documents).map(Path::to_owned);
    let needed = |path: &PathBuf| {
        ground.outbox.starts_with(path) || ground.homes.iter().any(|home| home.starts_with(path))
    };
    hidden.filter(|path| !needed(path))
}

/// Where git's directory lies outside of the tree (a checkout that is itself a linked worktree).
fn outside_of(tree: &Path, git: &GitLayout) -> Vec<PathBuf> {
    if git.own.starts_with(tree) && git.common.starts_with(tree) {
        return Vec::new();
    }
    let shared = ["objects", "refs", "logs", "packed-refs"].map(|name| git.common.join(name));
    std::iter::once(git.own.clone()).chain(shared).collect()
}

/// A path of `sandbox_write`: absolute, below the user's home with `~/`, or below the root.
pub fn named(text: &str, root: &Path, home: Option<&Path>) -> Option<PathBuf> {
    match text.strip_prefix("~/") {
        Some(below) => home.map(|home| home.join(below)),
        None if text.is_empty() => None,
        None => Some(root.join(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::DocPath;

    fn ground(branch: &str) -> Ground {
        Ground {
            root: "/p".into(),
            tree: "/p/.ai/worktrees/w".into(),
            room: None,
            state: "/p/.ai".into(),
            documents: "/p/.ai".into(),
            within: Vec::new(),
            git: Some(GitLayout {
                common: "/p/.git".into(),
                own: "/p/.git/worktrees/w".into(),
                branch: Some(branch.to_owned()),
            }),
            outbox: "/p/.ai/.hast/calls/k/1/outbox".into(),
            homes: vec!["/h/.claude".into()],
            user_home: Some("/h".into()),
        }
    }

    fn shown(paths: &[PathBuf]) -> Vec<&str> {
        paths.iter().map(|path| path.to_str().unwrap()).collect()
    }

    fn worktree() -> Place {
        Place::Worktree(DocPath::new(".ai/worktrees/w").unwrap())
    }

    #[test]
    fn a_room_opens_its_tree_and_hides_the_rest_of_the_rooms() {
        let config =
            Config { sandbox_write: vec!["~/.cargo".into(), "/c".into()], ..Config::default() };
        let mut ground = ground("refs/heads/main");
        (ground.tree, ground.git) = ("/h/rooms/p/1/tree".into(), None);
        let sandbox = sandbox(&worktree(), &ground, &config);
        let expected =
            ["/p/.ai/.hast/calls/k/1/outbox", "/h/.claude", "/h/rooms/p/1/tree", "/h/.cargo", "/c"];
        assert_eq!(shown(&sandbox.writable), expected);
        assert_eq!(shown(&sandbox.closed), ["/p/.ai/.hast/calls/k/1"]);
        assert_eq!(
            shown(&sandbox.hidden),
            ["/p/.ai/.hast/calls", "/h/rooms/p"],
            "other calls and other rooms are not its business"
        );
        assert_eq!(sandbox.mode, SandboxMode::Prefer);
    }

    #[test]
    fn a_room_at_the_checkouts_path_opens_that_path_and_hides_where_the_room_is() {
        let mut ground = ground("refs/heads/main");
        (ground.tree, ground.git) = ("/p".into(), None);
        ground.room = Some(RoomMounts {
            checkout: "/p".into(),
            tree: "/h/rooms/p/1/tree".into(),
            work: "/h/rooms/p/1/work".into(),
            objects: "/p/.git/objects".into(),
        });
        let boxed = sandbox(&worktree(), &ground, &Config::default());
        let open = ["/p/.ai/.hast/calls/k/1/outbox", "/h/.claude", "/p"];
        assert_eq!(shown(&boxed.writable), open);
        let hidden = ["/p/.ai/.hast/calls", "/h/rooms/p", "/p/.git/hast"];
        assert_eq!(shown(&boxed.hidden), hidden);
        assert_eq!(boxed.room, ground.room);
        let off = Config { sandbox: Some(Wanted::Off), ..Config::default() };
        assert_eq!(sandbox(&worktree(), &ground, &off).room, None);
    }

    #[test]
    fn in_place_the_tree_is_open_but_hooks_config_and_state_are_closed() {
        let mut ground = ground("refs/heads/main");
        ground.tree = "/p".into();
        ground.git = Some(GitLayout {
            common: "/p/.git".into(),
            own: "/p/.git".into(),
            branch: Some("refs/heads/main".into()),
        });
        let sandbox = sandbox(&Place::Checkout, &ground, &Config::default());
        let open = ["/p/.ai/.hast/calls/k/1/outbox", "/h/.claude", "/p", "/p/.ai/handoffs"];
        assert_eq!(shown(&sandbox.writable), open);
        let closed = [
            "/p/.ai",
            "/p/.ai/.hast",
            "/p/.ai/.hast/calls/k/1",
            "/p/.claude/orchestrator",
            "/p/.git/config",
            "/p/.git/config.worktree",
            "/p/.git/hast",
            "/p/.git/hast/start",
            "/p/.git/hooks",
            "/p/.git/info",
            "/p/.git/modules",
            "/p/.git/refs/hast",
            "/p/.git/worktrees",
        ];
        assert_eq!(shown(&sandbox.closed), closed);
    }

    #[test]
    fn in_place_no_log_of_another_work_tree_is_open() {
        let mut ground = ground("refs/heads/main");
        (ground.root, ground.tree) = ("/w".into(), "/w".into());
        let sandbox = sandbox(&Place::Checkout, &ground, &Config::default());
        let of_git = |paths: &[PathBuf]| -> Vec<String> {
            let inside = shown(paths).into_iter().filter_map(|path| path.strip_prefix("/p/.git/"));
            inside.map(str::to_owned).collect()
        };
        let open = ["worktrees/w", "objects", "refs", "logs", "packed-refs"];
        assert_eq!(of_git(&sandbox.writable), open);
        assert!(of_git(&sandbox.closed).contains(&"logs/HEAD".to_owned()), "{sandbox:?}");
    }

    #[test]
    fn a_part_of_the_project_opens_that_part_and_never_state_or_git() {
        let mut ground = ground("refs/heads/main");
        ground.tree = "/p".into();
        ground.documents = "/p/.brain".into();
        ground.git = Some(GitLayout {
            common: "/p/.git".into(),
            own: "/p/.git".into(),
            branch: Some("refs/heads/main".to_owned()),
        });
        ground.within = vec!["/p/src".into(), "/p/.brain/experts".into(), "/p/.git/hooks".into()];
        let place = Place::Within(vec!["src/**".into()]);
        let opened = sandbox(&place, &ground, &Config::default());
        let open = ["/p/.ai/.hast/calls/k/1/outbox", "/h/.claude", "/p/src"];
        assert_eq!(shown(&opened.writable), open);
        let closed = [
            "/p/.ai",
            "/p/.ai/.hast",
            "/p/.ai/.hast/calls/k/1",
            "/p/.brain",
            "/p/.brain/.hast",
            "/p/.git",
        ];
        assert_eq!(shown(&opened.closed), closed);
        let nothing = sandbox(&Place::Within(Vec::new()), &ground, &Config::default());
        assert_eq!(nothing, sandbox(&Place::Reading, &ground, &Config::default()));
    }

    #[test]
    fn whoever_gets_copies_does_not_see_the_documents_of_this_unit_or_of_others() {
        let mut ground = ground("refs/heads/main");
        ground.documents = "/p/sessions/S-20260112-143000Z".into();
        let opened = sandbox(&Place::Copies, &ground, &Config::default());
        assert_eq!(shown(&opened.writable), ["/p/.ai/.hast/calls/k/1/outbox", "/h/.claude"]);
        assert_eq!(shown(&opened.hidden), ["/p/.ai/.hast/calls", "/p/sessions"]);
        ground.outbox = "/p/sessions/S-20260112-143000Z/.hast/calls/k/1/outbox".into();
        let opened = sandbox(&Place::Copies, &ground, &Config::default());
        assert_eq!(shown(&opened.hidden), ["/p/.ai/.hast/calls"], "what it needs stays in sight");
    }

    #[test]
    fn reading_opens_outbox_and_homes_only() {
        let config = Config { sandbox_write: vec!["/c".into()], ..Config::default() };
        let opened = sandbox(&Place::Reading, &ground("refs/heads/hast/a/b"), &config);
        assert_eq!(shown(&opened.writable), ["/p/.ai/.hast/calls/k/1/outbox", "/h/.claude"]);
        let off = Config { sandbox: Some(Wanted::Off), ..config };
        assert_eq!(sandbox(&Place::Reading, &ground(""), &off), Sandbox::off());
    }
}
