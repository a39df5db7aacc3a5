//! The attacks of the vandals, as shell scripts that end at the first line that fails. `refused` is in front of
//! what the system must refuse, `private` of what works in a room at the checkout's path, on a copy, and is
//! refused in a room at a path of its own.

/// Attacks of one attempt: the room's git directory and files are put right before each.
pub(crate) const TOGETHER: &[&str] = &[
    // The git directory, which is the room's own.
    "git branch more\ngit branch -f side HEAD",
    "git tag v1\ngit -c user.name=e -c user.email=e tag -a -m t v2",
    "git update-ref refs/heads/hast/kept/M1 HEAD",
    "git update-ref refs/hast/attempts/M1/9 HEAD",
    "echo x >> src/a.txt\ngit stash push -u\ngit stash drop",
    "git config user.name evil\ngit config core.hooksPath /tmp/evil",
    "git config core.fsmonitor false\ngit config core.sshCommand evil",
    "mkdir -p .git/hooks\nprintf '#!/bin/sh\\nexit 0\\n' > .git/hooks/pre-commit\nchmod +x .git/hooks/pre-commit",
    "mkdir -p .git/info\necho '*' > .git/info/exclude\necho '* filter=evil' > .git/info/attributes",
    "echo evil > .git/COMMIT_EDITMSG\necho evil > .git/description",
    "git update-index --assume-unchanged src/a.txt\ngit update-index --skip-worktree src/deep/c.txt",
    "git rm -q --cached src/a.txt\ngit add -A",
    "git commit --allow-empty -qm empty\ngit commit --allow-empty --amend -qm rewritten",
    "git commit-tree -m orphan HEAD^{tree}\ngit hash-object -w check.sh",
    "git replace HEAD $(git commit-tree -m r HEAD^{tree})",
    "git notes add -m note HEAD",
    "git remote add origin /nowhere\nrefused git fetch origin",
    "git checkout -q --detach\ngit checkout -qb elsewhere",
    "git bisect start\ngit bisect bad",
    "git rev-parse HEAD > .git/MERGE_HEAD\necho merge > .git/MERGE_MSG",
    "mkdir -p .git/rebase-merge\ntouch .git/rebase-merge/onto",
    "touch .git/index.lock .git/HEAD.lock",
    "git sparse-checkout set src",
    "private git worktree add -q ../stolen HEAD",
    "git reflog expire --expire=now --all\ngit gc -q --prune=now",
    "printf '[submodule \"evil\"]\\n\\tpath=src\\n\\turl=/nowhere\\n' > .gitmodules\ngit add .gitmodules",
    // The user's repository, by every path that leads there.
    "objects=.git/users-objects; test -d $objects || objects=\"$CHECKOUT/.git/objects\"\nfile=$(find $objects/ -type f | head -1)\nrefused put evil $objects/evil\nrefused rm -f $file\nrefused chmod 777 $file\nrefused touch -d 2001-01-01 $file",
    "private git -c safe.directory='*' -C \"$CHECKOUT\" branch stolen",
    "refused mv \"$CHECKOUT\" \"$CHECKOUT.moved\"\nrefused rmdir \"$CHECKOUT\"",
    // Ignored and uncommitted files.
    "put evil .env\nrm -f src/user.log",
    "put evil node_modules/dep/index.js\nrm -rf node_modules",
    "rm -rf .venv\nmkdir .venv\nput 'exit 1' .venv/runner",
    "put evil notes.txt\nrm notes.txt",
    // The home.
    "refused mknod \"$HOME/device\" c 1 3",
    "private git config --global user.name evil",
    "private ln -s /etc/passwd \"$HOME/link\"\nprivate mkdir -p \"$HOME/.cache/pip/evil\"",
    // hast's own state, and other calls.
    "test -z \"$(find \"$HOME/state\" -name meta.json)\"",
    "refused rm -rf \"$HOME/state/hast\"",
    "for room in \"$HOME\"/state/hast/rooms/*/*/; do refused put evil \"$room/trusted/index\"; done",
    "refused ls .ai/events\nrefused ls .ai/attempts",
    "test \"$(ls \"$CHECKOUT/.ai/.hast/calls\" | wc -l)\" = 1",
    "refused put evil \"$HAST_CALL\"\nrefused rm \"$HAST_CALL\"\nrefused chmod 777 \"$HAST_CALL\"",
    // Mounts, namespaces and processes.
    "refused umount .git/users-objects\nrefused umount -l .\nrefused umount -l /proc",
    "refused mount -t tmpfs none src\nrefused mount --bind / src\nrefused mount -o remount,rw /",
    "refused unshare -Urm sh -c 'umount -l \"$CHECKOUT\" || mount -o remount,bind,rw /'",
    "refused unshare -m sh -c 'umount -l .'",
    "refused nsenter -t 1 -m sh -c 'echo evil > /usr/evil'",
    "for root in /proc/[0-9]*/root; do refused put evil \"$root/usr/evil\"; done",
    "refused put evil /proc/1/cwd/evil\nrefused put 1 /proc/sys/kernel/panic",
    "refused kill -9 1\nrefused kill -STOP 1",
    "refused trace 1\nrefused put evil /proc/1/mem",
    "for one in /proc/[0-9]*/environ; do if grep -q OF_NOBODY_TOKEN \"$one\" 2>/dev/null; then exit 99; fi; done",
    "(sleep 300 &)\nsetsid sleep 300 &\ntrue",
    // Places that everybody shares, and servers.
    "private put evil /tmp/of-vandal\nprivate mkdir /tmp/of-vandals",
    "private put evil /var/tmp/of-vandal",
    "put evil /dev/shm/of-vandal",
    "refused put evil /etc/of-vandal\nrefused put evil /usr/of-vandal\nrefused chmod 777 /etc/passwd\nrefused touch /etc/passwd",
    "test $KIND = own || refused call \"$CHECKOUT/../bus\"\ntest -d /run/user && test -z \"$(ls -A /run/user)\" || test $KIND = own || test ! -d /run/user",
];

/// Attacks that nothing puts right, or that have to meet files of the user's: each has an attempt to itself.
pub(crate) const ALONE: &[&str] = &[
    "echo /nowhere > .git/objects/info/alternates\nrefused git log -1",
    "git commit --allow-empty -qm x\nfind .git/objects -type f -exec chmod u+w {} + -exec sh -c 'echo evil > \"$1\"' x {} \\;\nrefused git log -1",
    "rm -rf .git/refs .git/packed-refs\necho evil > .git/HEAD\nrefused git log -1",
    "mv .git gone.log\ngit init -q",
    "rm -rf .git/* || true\nrefused git log -1",
    "private put evil \"$CHECKOUT/src/x.log\"\nprivate rm \"$CHECKOUT/check.sh\"",
    "private put evil \"$CHECKOUT/.git/config\"\nprivate mkdir \"$CHECKOUT/.git/evil\"",
    "cd ..\nrefused rm -rf \"$CHECKOUT\"",
    "chmod 000 .venv node_modules\ntouch -d 2001-01-01 src/a.txt",
    "private put evil \"$HOME/.profile\"\nprivate rm -rf \"$HOME/docs\"\nprivate mkdir \"$HOME/made\"",
    "private chmod 777 \"$HOME/docs/mine.txt\"\nprivate touch -d 2001-01-01 \"$HOME/docs/mine.txt\"",
    "private mark \"$HOME/docs/mine.txt\"",
    "refused chown 1 \"$HOME/docs/mine.txt\"\nrefused chgrp 1 \"$HOME/docs\"",
    "refused ln \"$HOME/docs/mine.txt\" linked.log",
    "private mv \"$HOME/docs\" \"$HOME/moved\"\nprivate mkfifo \"$HOME/pipe\"",
    "private rm -rf \"$HOME/attacks\"\nprivate put evil \"$HOME/agent.sh\"",
];
