//! Places that programs of the user share: a room has its own, and they are gone with the run.

use crate::scene::{Scene, differences};

#[test]
fn tests_find_nothing_that_the_agent_left_in_shared_places_or_caches() {
    let places = ["/tmp", "/var/tmp", "/dev/shm", "$HOME", "$HOME/.cache"];
    let name = format!("of-hast-{}", std::process::id());
    let script: String =
        places.iter().map(|place| format!("echo green > {place}/{name} || exit 1\n")).collect();
    let check: String =
        places.iter().map(|place| format!("test ! -e {place}/{name} || exit 1\n")).collect();
    let scene = Scene::with_check(&script, "", &check);
    scene.write("../home/.cache/mine", "mine\n");
    let before = scene.everything();
    let ran = scene.auto();
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?} {}", scene.reason());
    assert_eq!(differences(&before, &scene.everything(), &[]), ["project/src/b.txt"]);
    for place in ["/tmp", "/var/tmp", "/dev/shm"] {
        assert!(!std::path::Path::new(place).join(&name).exists(), "{place}");
    }
    scene.nothing_is_left();
}

#[test]
fn the_home_is_read_and_written_and_what_is_granted_of_it_stays() {
    let script = "set -e
test \"$(cat ~/.cache/mine)\" = mine
echo changed > ~/.cache/mine; mv ~/.cache/mine ~/.cache/yours; rm -rf ~/docs; mkdir -p ~/docs/new
echo kept > ~/granted/of-agent
test \"$TMPDIR\" = /tmp; test -w /tmp
";
    let scene = Scene::with_check(script, "sandbox_write: [~/granted]\n", "true\n");
    scene.write("../home/.cache/mine", "mine\n");
    scene.write("../home/docs/a/b.txt", "b\n");
    scene.write("../home/granted/mine", "mine\n");
    let before = scene.everything();
    let ran = scene.auto();
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?} {}", scene.reason());
    let changed = ["home/granted", "home/granted/of-agent", "project/src/b.txt"];
    assert_eq!(differences(&before, &scene.everything(), &[]), changed);
    scene.nothing_is_left();
}

#[test]
fn files_below_tmp_that_the_command_names_are_seen_and_stay_as_they_are() {
    let scene = Scene::with_check("true", "", "true\n");
    scene.write(
        "../tools/agent.sh",
        "set -e
test -f \"$1\" && test -f \"${2#--settings=}\"
for path in \"$0\" \"$1\" \"${2#--settings=}\" \"$(dirname \"$0\")/beside\"; do
  if echo evil 2>/dev/null >> \"$path\"; then exit 3; fi
  if chmod 777 \"$path\" 2>/dev/null; then exit 4; fi
done
test ! -e \"$(dirname \"$0\")/../other\"
echo b > src/b.txt
",
    );
    scene.write("../tools/beside", "beside\n");
    scene.write("../other/file", "of nobody\n");
    scene.write("../words/word.txt", "word\n");
    scene.write("../settings/s.json", "{}\n");
    let top = scene.root().parent().unwrap().to_owned();
    let line = format!(
        "sh {0}/tools/agent.sh {0}/words/word.txt --settings={0}/settings/s.json {{prompt_file}}",
        top.display()
    );
    let config = scene.read(".ai/config.yaml");
    scene.write(".ai/config.yaml", config.replace("rehearsal:.ai/agent.yaml", &line));
    let before = scene.everything();
    let ran = scene.auto();
    assert!(scene.reason() != "agent_failed", "{ran:?} {}", scene.reason());
    assert!(!ran.err.contains("exit code"), "{ran:?}");
    let after = scene.everything();
    let changed = differences(&before, &after, &["project/src/b.txt"]);
    let outside: Vec<&String> =
        changed.iter().filter(|path| !path.starts_with("project/.git")).collect();
    assert_eq!(outside, Vec::<&String>::new());
    scene.nothing_is_left();
}

#[test]
fn a_room_at_its_own_path_has_caches_that_can_be_written() {
    let script = "set -e
for cache in \"$npm_config_cache\" \"$GOCACHE\" \"$UV_CACHE_DIR\"; do mkdir -p \"$cache\"; echo x > \"$cache/x\"; done
case $GOCACHE in \"$TMPDIR\"/*) ;; *) exit 3 ;; esac
if echo evil > \"$HOME/evil\"; then exit 4; fi
";
    let check = "test ! -e \"$GOCACHE/x\" && mkdir -p \"$GOCACHE\"\n";
    let scene = Scene::with_check(script, "room: own-path\n", check);
    let ran = scene.auto();
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?} {}", scene.reason());
}

#[test]
fn a_home_that_takes_no_overlay_stays_as_it_is_and_caches_go_to_the_private_temp() {
    let script = "set -e
test \"$npm_config_cache\" = /tmp/caches/npm; test \"$XDG_CACHE_HOME\" = /tmp/caches/
mkdir -p \"$PIP_CACHE_DIR\"; echo x > \"$PIP_CACHE_DIR/x\"
if echo evil > \"$HOME/evil\"; then exit 3; fi
test -f ~/mine
";
    let scene = Scene::with_check(script, "", "test ! -e \"$PIP_CACHE_DIR/x\"\n");
    // Two overlays on top of each other are the most that a kernel takes.
    let line = "cd .. && mkdir -p deep/one deep/two deep/u1 deep/w1 deep/u2 deep/w2 deep/low && echo mine > deep/low/mine \
        && mount -t overlay o deep/one -o userxattr,lowerdir=deep/low,upperdir=deep/u1,workdir=deep/w1 \
        && mount -t overlay o deep/two -o userxattr,lowerdir=deep/one,upperdir=deep/u2,workdir=deep/w2 \
        && cd project && HOME=\"$PWD/../deep/two\" \"$HAST\" auto";
    let ran = scene.shell(&format!("unshare --map-root-user -m sh -c '{line}'"));
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?} {}", scene.reason());
    assert!(!scene.has("../deep/u2/evil"));
}
