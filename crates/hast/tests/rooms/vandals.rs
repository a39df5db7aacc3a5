//! Agents that do to the repository whatever they can. Afterwards it is byte for byte as before, but for
//! the commit that passed.

use crate::scene::{KINDS, Scene, differences};

/// Attacks on git's own directory, each in a shell of its own.
const OF_GIT: &[&str] = &[
    "git branch more; git branch -f side HEAD",
    "git tag v1; git tag -a -m t v2",
    "git update-ref refs/heads/hast/kept/M1 HEAD",
    "git update-ref refs/hast/attempts/M1/9 HEAD",
    "git stash push -u; git stash drop",
    "git config user.name evil; git config core.hooksPath $TMPDIR/evil",
    "git config core.fsmonitor false; git config core.sshCommand evil",
    "git config --global user.name evil",
    "mkdir -p .git/hooks; printf '#!/bin/sh\\nexit 0\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
    "mkdir -p .git/info; echo '*' > .git/info/exclude; echo '* filter=evil' > .git/info/attributes",
    "echo evil > .git/COMMIT_EDITMSG; echo evil > .git/description",
    "git update-index --assume-unchanged src/a.txt; git update-index --skip-worktree src/deep/c.txt",
    "git rm -q --cached src/a.txt; git add -A",
    "git commit --allow-empty -qm empty; git commit --amend -qm rewritten",
    "git commit-tree -m orphan HEAD^{tree} > /dev/null; git hash-object -w check.sh",
    "git replace HEAD $(git commit-tree -m r HEAD^{tree})",
    "git notes add -m note HEAD",
    "git remote add origin $TMPDIR/evil; git fetch origin",
    "git checkout -q --detach; git checkout -qb elsewhere",
    "git bisect start; git bisect bad",
    "git rev-parse HEAD > .git/MERGE_HEAD; echo merge > .git/MERGE_MSG",
    "mkdir -p .git/rebase-merge; touch .git/rebase-merge/onto",
    "touch .git/index.lock .git/HEAD.lock .git/refs/heads/main.lock",
    "git sparse-checkout set src",
    "git worktree add -q ../stolen HEAD",
    "git reflog expire --expire=now --all; git gc -q --prune=now; git prune",
    "git submodule add ./.git evil",
    "echo /nowhere > .git/objects/info/alternates",
    "find .git/objects -type f -exec chmod u+w {} + -exec sh -c 'echo evil > \"$1\"' x {} \\;",
    "echo evil > .git/users-objects/evil; rm -rf .git/users-objects/*",
    "rm -rf .git/refs .git/packed-refs; echo evil > .git/HEAD",
    "mv .git gone.log; git init -q",
    "rm -rf .git; ln -s /nowhere .git",
];

/// Attacks on the user's files, whatever path leads to them.
const OF_FILES: &[&str] = &[
    "echo evil > .env; rm -f src/user.log",
    "echo evil > node_modules/dep/index.js; rm -rf node_modules",
    "rm -rf .venv; mkdir .venv; echo exit 1 > .venv/runner",
    "chmod 000 .venv node_modules; chown 1 .env; touch -d 2001-01-01 .env",
    "echo evil > notes.txt; rm notes.txt",
    "echo evil > \"$CHECKOUT/src/a.txt.log\"; rm -rf \"$CHECKOUT/.git/hooks\"",
    "cd \"$CHECKOUT\" && git -C . branch stolen; git --git-dir=\"$CHECKOUT/.git\" tag stolen",
    "echo evil >> \"$HOME/.profile\"; rm -rf \"$HOME/docs\"; mkdir \"$HOME/made\"",
    "chmod 777 \"$HOME/docs/mine.txt\"; touch -d 2001-01-01 \"$HOME/docs/mine.txt\"",
    "ln \"$HOME/docs/mine.txt\" linked.log; echo evil >> linked.log; rm -f linked.log",
    "mv \"$HOME/docs\" \"$HOME/moved\"; mkfifo \"$HOME/pipe\"",
    "mknod \"$HOME/device\" c 1 3; mknod device.log c 1 3",
    "find \"$HOME/state\" -name meta.json -exec sh -c 'echo {} > \"$1\"' x {} \\;",
    "rm -rf \"$HOME/state/hast\"",
    "for room in \"$HOME\"/state/hast/rooms/*/*/; do echo evil > \"$room/trusted/index\"; done",
    "umount .git/users-objects; umount -l .; umount -l \"$CHECKOUT\"",
    "mount -t tmpfs none src; mount --bind / src; mount -o remount,rw /",
    "unshare -Urm sh -c 'umount -l \"$CHECKOUT\"; echo evil > \"$CHECKOUT/.env\"'",
    "unshare -m sh -c 'umount -l .; echo evil > .env'",
    "nsenter -t 1 -m sh -c 'echo evil > \"$CHECKOUT/.env\"'",
    "for root in /proc/[0-9]*/root; do echo evil > \"$root$CHECKOUT/.env\"; done",
    "for cwd in /proc/[0-9]*/cwd; do echo evil > \"$cwd/.env\"; done",
    "kill -9 1; kill -STOP 1",
    "setfattr -n user.overlay.opaque -v y src; setfattr -n user.evil -v y \"$HOME/docs/mine.txt\"",
    "ls .ai/events .ai/attempts .ai/.hast/journal && echo evil >> .ai/events/events.ndjson",
    "cp -r .ai/.hast/calls .ai/stolen.log; rm -rf .ai/stolen.log",
    "cd .. && rm -rf project; cd \"$CHECKOUT/..\" && rm -rf project/.git project/src/user.log",
    "(sleep 300 &) ; setsid sleep 300 & true",
];

fn vandalise(attacks: &[&str], kind: &str) {
    // A whole room survives each of them: the tree is put right for the next one.
    let script: String = attacks
        .iter()
        .map(|attack| {
            let line = attack.replace('\'', "'\\''");
            format!("timeout 20 setsid sh -c 'cd \"$HERE\"; {line}' </dev/null >/dev/null 2>&1 || true\n")
        })
        .collect();
    let script = format!(
        "export HERE=\"$PWD\"\nexport CHECKOUT=\"$(cat \"$HOME/checkout\")\"\nmkdir $TMPDIR/kept; cp -r src .ai .gitignore check.sh package.json $TMPDIR/kept\n{script}cd \"$HERE\"; chmod -R u+rwX .; rm -rf src .ai; cp -r $TMPDIR/kept/. .; rm -rf evil .gitmodules stolen; true\n"
    );
    let scene = Scene::with_check(&script, kind, "true\n");
    scene.write("../home/docs/mine.txt", "mine\n");
    scene.write("../home/checkout", scene.root().to_str().unwrap());
    scene.git(&["branch", "side"]);
    let (before, head) = (scene.everything(), scene.git(&["rev-parse", "HEAD"]));
    let (index, stash) = (
        scene.git(&["ls-files", "-v", "--", "src", "*.sh", "*.json"]),
        scene.git(&["for-each-ref", "refs/stash"]),
    );
    let ran = scene.auto();
    assert_eq!(
        (ran.code, scene.status().as_str()),
        (0, "done"),
        "{kind} {ran:?} {}",
        scene.reason()
    );
    assert_eq!(scene.git(&["rev-parse", "main~2"]), head, "{kind}");
    let after = scene.everything();
    assert_eq!(differences(&before, &after, &[]), ["project/src/b.txt"], "{kind}");
    let index_now = scene.git(&["ls-files", "-v", "--", "src", "*.sh", "*.json"]);
    assert_eq!(index_now, index.replace("src/a.txt\n", "src/a.txt\nH src/b.txt\n"));
    assert_eq!(scene.git(&["for-each-ref", "refs/stash"]), stash);
    assert_eq!(scene.git(&["fsck", "--no-dangling"]), "");
    scene.nothing_is_left();
}

#[test]
fn no_attack_on_gits_own_directory_reaches_the_users() {
    for kind in KINDS {
        vandalise(OF_GIT, kind);
    }
}

#[test]
fn no_attack_on_files_reaches_the_users() {
    for kind in KINDS {
        vandalise(OF_FILES, kind);
    }
}
