# The cases of `run`. make_NAME makes the repository of a user (in it) and adds to agent.sh and check.sh; see_NAME looks at
# the result with the log as its argument; MINE has what of the user's must be as before.
# shellcheck shell=bash disable=SC2034
ALL=(git_directories git_history git_worktree_gc npm_install npm_ci npm_uninstall cargo_warm cargo_new_crate pip_editable pytest_venv go_build sqlite_wal
    npx own_npm own_cargo own_pip own_go)
declare -A MINE=(
    [npm_install]=node_modules [npm_ci]=node_modules [npm_uninstall]=node_modules
    [cargo_warm]=target [cargo_new_crate]=target [pip_editable]=.venv [pytest_venv]=.venv [sqlite_wal]=data [npx]=node_modules
    [own_npm]=node_modules [own_cargo]=target [own_pip]=.venv
)

make_git_directories() {
    mkdir -p a/b/c with && echo 1 > a/b/c/1 && echo 2 > a/2 && echo w > with/w && echo '*.log' > .gitignore && committed
    echo mine > with/mine.log
    cat >> agent.sh <<'END'
git mv a renamed
mv renamed/b/c moved
git mv -k renamed/2 two
mkdir a && echo again > a/again
# A directory that holds ignored files of the user's is moved by copying: git mv does not copy.
mv with copied && test "$(cat copied/mine.log)" = mine && git add -A
git status --short
END
    echo 'test ! -e two || { test -f moved/1 && test ! -e a/b/c; }' > check.sh
    committed
}
see_git_directories() {
    [ "$(git ls-tree -r --name-only main | grep -vE '^(\.|agent|check|done)' | tr '\n' ' ')" = 'a/again copied/w moved/1 two ' ] && [ "$(cat with/mine.log)" = mine ]
}

make_git_history() {
    echo a > a && committed
    cat >> agent.sh <<'END'
git checkout -qb side; echo s > s; git add s; git commit -qm side
git checkout -q main; echo m > m; git add m; git commit -qm main
git rebase -q main side; git checkout -q main; git merge -q --ff-only side
echo dirty >> a; git stash -q; test "$(cat a)" = a; git stash pop -q; test "$(tail -1 a)" = dirty
git commit -qam dirty
git rebase -q --exec true HEAD~2
git cherry-pick --allow-empty -x HEAD~1 || git cherry-pick --skip
git log --oneline
END
    committed
}
see_git_history() { [ "$(cat s m | tr '\n' ' ')" = 's m ' ] && git log --format=%s main | grep -qx dirty; }

make_git_worktree_gc() {
    echo a > a && committed
    cat >> agent.sh <<'END'
git worktree add -q ../other -b other
(cd ../other && echo o > o && git add o && git commit -qm other)
git merge -q --ff-only other
git worktree remove ../other; git branch -d other
git gc -q --prune=now; git repack -adq; git fsck
END
    committed
}
see_git_worktree_gc() { [ "$(cat o)" = o ] && [ ! -e ../other ] && [ "$(git worktree list | wc -l)" = 1 ]; }

node_project() {
    echo 'node_modules/' > .gitignore
    npm init -y >/dev/null && npm install --no-audit --no-fund left-pad@1.3.0 is-odd@3.0.1
    echo "require('left-pad')(1, 2)" > index.js
}
make_npm_install() {
    node_project
    printf '%s\n' 'npm install --no-audit --no-fund is-even@1.0.0' "echo \"require('is-even')(2)\" >> index.js" >> agent.sh
    echo 'node index.js' > check.sh
    committed
}
see_npm_install() { grep -q is-even package-lock.json && [ ! -e node_modules/is-even ]; }
make_npx() {
    node_project
    # A program that is not a dependency: npx fetches it into the cache of the home.
    echo "npx --yes semver@7.6.3 1.2.3 > version.txt; test \"\$(cat version.txt)\" = 1.2.3" >> agent.sh
    echo 'node index.js' > check.sh
    committed
}
see_npx() { grep -qx 1.2.3 version.txt; }
make_npm_ci() {
    node_project
    printf '%s\n' 'npm ci --no-audit --no-fund' 'node index.js' >> agent.sh
    echo 'node index.js' > check.sh
    committed
}
make_npm_uninstall() {
    node_project
    printf '%s\n' 'npm uninstall --no-audit --no-fund is-odd' 'test ! -e node_modules/is-odd' >> agent.sh
    echo "node index.js && { ! test -f done.txt || test ! -e node_modules/is-odd; }" > check.sh
    committed
}
see_npm_uninstall() { ! grep -q is-odd package.json && [ -e node_modules/is-odd ]; }

rust_project() {
    echo 'target/' > .gitignore
    mkdir src
    printf '[package]\nname = "warm"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\nitoa = "1"\nryu = "1"\n' > Cargo.toml
    printf 'pub fn two() -> String { itoa::Buffer::new().format(2).to_owned() }\n#[test]\nfn it_is_two() { assert_eq!(two(), "2"); }\n' > src/lib.rs
    # Cargo compares dates of whole seconds on some systems.
    committed && cargo test -q
}
make_cargo_warm() {
    rust_project
    printf '%s\n' 'cargo test 2>&1 | tee cargo.txt' '! grep Compiling cargo.txt' 'rm cargo.txt' >> agent.sh
    echo 'cargo test 2>&1 | tee /tmp/cargo.txt; ! grep Compiling /tmp/cargo.txt && grep -q "1 passed" /tmp/cargo.txt' > check.sh
    committed
}
make_cargo_new_crate() {
    rust_project
    printf '%s\n' 'cargo add -q fastrand@2' "echo 'pub fn any() -> u8 { fastrand::u8(..) }' >> src/lib.rs" 'cargo test 2>&1 | tee cargo.txt' '! grep -E "Compiling (itoa|ryu)" cargo.txt' 'rm cargo.txt' >> agent.sh
    echo 'cargo test' > check.sh
    committed
}
see_cargo_new_crate() { grep -q fastrand Cargo.lock; }

python_project() {
    echo '.venv/' > .gitignore
    mkdir -p pkg && echo 'def two(): return 2' > pkg/__init__.py
    printf '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n[project]\nname = "pkg"\nversion = "1"\n[tool.setuptools]\npackages = ["pkg"]\n' > pyproject.toml
    printf 'from pkg import two\ndef test_two(): assert two() == 2\n' > test_pkg.py
    printf '*.egg-info/\n__pycache__/\n.pytest_cache/\nbuild/\n' >> .gitignore
    python3 -m venv .venv && .venv/bin/pip install -q pytest setuptools wheel
}
make_pip_editable() {
    python_project
    cat >> agent.sh <<'END'
.venv/bin/pip install -q --no-build-isolation -e .
cd / && "$OLDPWD/.venv/bin/python" -c 'import pkg; assert pkg.two() == 2' && cd "$OLDPWD"
.venv/bin/pip install -q six
echo 'six' > requirements.txt
END
    echo '.venv/bin/pytest -q && { ! test -f done.txt || .venv/bin/python -c "import six"; }' > check.sh
    committed
}
see_pip_editable() { ! .venv/bin/python -c 'import six' 2>/dev/null; }
make_pytest_venv() {
    python_project
    cat >> agent.sh <<'END'
. .venv/bin/activate
printf 'def test_three(): assert 3\n' >> test_pkg.py
pytest -q
END
    echo '. .venv/bin/activate && pytest -q' > check.sh
    committed
}

go_project() {
    printf 'module example.test/warm\n\ngo 1.21\n' > go.mod
    printf 'package warm\n\nfunc Two() int { return 2 }\n' > warm.go
    printf 'package warm\n\nimport "testing"\n\nfunc TestTwo(t *testing.T) {\n\tif Two() != 2 {\n\t\tt.Fail()\n\t}\n}\n' > warm_test.go
    printf '%s\n' 'go vet ./...' 'go test ./...' "printf 'package warm\n\nfunc Three() int { return 3 }\n' > three.go" 'go build ./...' >> agent.sh
    echo 'go test ./...' > check.sh
    committed && go test ./...
}
make_go_build() { go_project; }
see_go_build() { [ -f three.go ]; }

# The same in a room at a path of its own: what git ignores is not there, and room_setup makes it.
own_path() { # room_setup
    printf 'room: own-path\n' >> .ai/config.yaml
    [ -z "${1:-}" ] || printf 'room_setup: "%s"\n' "$1" >> .ai/config.yaml
}
make_own_npm() {
    own_path 'npm ci --no-audit --no-fund'
    make_npm_install
    echo 'npx --yes semver@7.6.3 1.2.3' >> agent.sh && committed
}
see_own_npm() { see_npm_install; }
make_own_cargo() {
    own_path
    rust_project
    printf '%s\n' 'cargo add -q fastrand@2' "echo 'pub fn any() -> u8 { fastrand::u8(..) }' >> src/lib.rs" 'cargo test' >> agent.sh
    echo 'cargo test' > check.sh
    committed
}
see_own_cargo() { grep -q fastrand Cargo.lock; }
make_own_pip() {
    own_path 'python3 -m venv .venv && .venv/bin/pip install -q pytest setuptools wheel'
    make_pip_editable
}
see_own_pip() { see_pip_editable; }
make_own_go() { own_path; go_project; }
see_own_go() { [ -f three.go ]; }

make_sqlite_wal() {
    echo 'data/' > .gitignore
    mkdir data && sqlite3 data/db 'pragma journal_mode=wal; create table t(a); insert into t values(1);'
    # The user has the database open, with its log and shared memory.
    python3 - <<'END'
import os, sqlite3, shutil
db = sqlite3.connect("data/db"); db.execute("insert into t values(2)"); db.commit()
for name in ("db-wal", "db-shm"): shutil.copy("data/" + name, name + ".kept")
db.close()
for name in ("db-wal", "db-shm"): shutil.move(name + ".kept", "data/" + name)
END
    cat >> agent.sh <<'END'
sqlite3 data/db 'insert into t values(3); select count(*) from t;' | grep -qx 3
(for i in 1 2 3 4; do sqlite3 -cmd '.timeout 9000' data/db "insert into t values($i)" & done; wait)
test "$(sqlite3 data/db 'select count(*) from t; pragma integrity_check;' | tr '\n' ' ')" = '7 ok '
END
    echo "test \"\$(sqlite3 data/db 'select count(*) from t')\" = 2" > check.sh
    committed
}
