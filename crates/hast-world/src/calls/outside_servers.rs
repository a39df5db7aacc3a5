//! Servers of the user's, as a program in a room meets them. A server outside sees the user's files at the
//! path of the checkout, and would build or judge those. Variables switch such servers off or give the
//! room one of its own; directories of their sockets are hidden.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};

use hast_flow::process::CommandSpec;

use super::variable;

/// The number of the room that a program works in: ports and names of databases can go by it.
pub(crate) const LANE: &str = "HAST_LANE";

const NO_GRADLE_SERVERS: &str =
    "-Dorg.gradle.daemon=false -Dkotlin.compiler.execution.strategy=in-process";
/// Servers that a variable alone switches off, or moves to the private temporary directory.
const FIXED: [(&str, &str); 3] = [
    ("NX_DAEMON", "false"),
    ("SCCACHE_SERVER_UDS", "/tmp/sccache.sock"),
    ("WATCHMAN_SOCK", "/tmp/watchman.sock"),
];

/// Tells a program its room, and keeps it from the user's servers where the room is at the checkout's path.
pub(crate) fn keep_off(
    spec: &mut CommandSpec,
    lane: Option<&OsStr>,
    variables: &[(OsString, OsString)],
) {
    spec.env.extend(lane.map(|lane| (LANE.into(), lane.to_owned())));
    let Some(room) = &spec.sandbox.room else { return };
    let home = variable(variables, "HOME").map(PathBuf::from);
    let above = |path: &Path| {
        room.checkout.starts_with(path) || home.as_ref().is_some_and(|it| it.starts_with(path))
    };
    spec.sandbox.hidden.extend(sockets(variables).into_iter().filter(|path| !above(path)));
    set_variables(&mut spec.env);
}

fn set_variables(env: &mut BTreeMap<OsString, OsString>) {
    env.extend(FIXED.map(|(name, value)| (name.into(), value.into())));
    let options = env.entry("GRADLE_OPTS".into()).or_default();
    if !options.is_empty() {
        options.push(" ");
    }
    options.push(NO_GRADLE_SERVERS);
    // Versions of sccache that know no socket of a name.
    if let Some(port) = free_port() {
        env.insert("SCCACHE_SERVER_PORT".into(), port.to_string().into());
    }
}

fn free_port() -> Option<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).ok()?;
    listener.local_addr().ok().map(|address| address.port())
}

/// Sockets of the user's own servers.
fn sockets(variables: &[(OsString, OsString)]) -> Vec<PathBuf> {
    let path =
        |name: &str| variable(variables, name).filter(|it| !it.is_empty()).map(PathBuf::from);
    let text = |name: &str| variable(variables, name).and_then(OsStr::to_str);
    let of_tmux = text("TMUX").and_then(|it| it.split(',').next());
    let of_docker = text("DOCKER_HOST").and_then(|it| it.strip_prefix("unix://"));
    let mut found = vec![path("XDG_RUNTIME_DIR"), path("TMUX_TMPDIR"), path("SCREENDIR")];
    found.push(of_tmux.and_then(|socket| Path::new(socket).parent()).map(Path::to_owned));
    found.push(of_docker.map(PathBuf::from));
    found.into_iter().flatten().filter(|path| path.is_absolute()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hast_flow::process::RoomMounts;

    #[test]
    fn a_room_at_the_checkouts_path_has_no_servers_of_the_users() {
        let variables: Vec<(OsString, OsString)> = [
            ("HOME", "/h"),
            ("XDG_RUNTIME_DIR", "/run/me"),
            ("TMUX", "/x/tmux-1/default,12,0"),
            ("TMUX_TMPDIR", "/"),
            ("DOCKER_HOST", "unix:///x/docker.sock"),
        ]
        .map(|(name, value)| (name.into(), value.into()))
        .into();
        let mut spec = CommandSpec::new("sh", "/p");
        spec.env.insert("GRADLE_OPTS".into(), "-Xmx1g".into());
        let own_path = {
            let mut spec = spec.clone();
            keep_off(&mut spec, Some(OsStr::new("2")), &variables);
            spec
        };
        assert_eq!(own_path.env.len(), 2, "{:?}", own_path.env);
        assert_eq!(own_path.env[OsStr::new(LANE)], "2");
        let [checkout, tree, work, objects] = ["/p", "/t", "/w", "/o"].map(PathBuf::from);
        spec.sandbox.room = Some(RoomMounts { checkout, tree, work, objects });
        keep_off(&mut spec, Some(OsStr::new("2")), &variables);
        let hidden = ["/run/me", "/x/tmux-1", "/x/docker.sock"].map(PathBuf::from);
        assert_eq!(spec.sandbox.hidden, hidden);
        let value = |name: &str| spec.env[OsStr::new(name)].to_str().unwrap();
        assert!(value("GRADLE_OPTS").starts_with("-Xmx1g -Dorg.gradle.daemon=false "));
        assert!(value("SCCACHE_SERVER_PORT").parse::<u16>().unwrap() > 0);
        assert_eq!(value("NX_DAEMON"), "false");
    }
}
