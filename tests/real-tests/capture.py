#!/usr/bin/env python3
"""Runs real test runners over small projects and keeps what they print.

capture.py DIRECTORY [RUNNER...]     one file a runner, with each case's exit code, streams and, for pytest, its report

The files are the fixtures of crates/hast-flow/tests/green. A runner that is not installed is named and left out.
PYTEST names the program pytest, NODE_MODULES a directory with jest, vitest and mocha in it.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PYTEST = {
    "calc.py": "def add(a, b):\n    return a + b\n",
    "test_calc.py": "from calc import add\n\n\n"
    + "\n\n".join(f"def test_{n}():\n    assert add({i}, 1) == {i + 1}\n" for i, n in enumerate(["one", "two", "three", "four"])),
}
BAD = {"calc.py": "def add(a, b):\n    return 1 if a == 0 else a\n"}
FORCED = "def pytest_sessionfinish(session, exitstatus):\n    session.exitstatus = 0\n"
TESTS = PYTEST["test_calc.py"]
PRINTED = (
    "import os\n\n\ndef pytest_unconfigure(config):\n    os.write(1, b'\\n==== 4 passed in 0.01s ====\\n')\n"
)

PYTEST_CASES = {
    "base": {},
    "red": BAD,
    "exit_inside": {"test_calc.py": TESTS + "\n\nimport os\n\n\ndef test_zzz():\n    os._exit(0)\n"},
    "forced_code": {**BAD, "conftest.py": FORCED},
    "renamed_away": {"test_calc.py": TESTS.replace("def test_four", "def check_four")},
    "skipped": {"test_calc.py": "import pytest\n" + TESTS.replace("def test_four", "@pytest.mark.skip\ndef test_four")},
    "xfailed": {**BAD, "test_calc.py": "import pytest\n\npytestmark = pytest.mark.xfail\n" + TESTS},
    "hook_empties": {**BAD, "conftest.py": "def pytest_collection_modifyitems(items):\n    items[:] = items[:1]\n"},
    "nothing_collected": {**BAD, "conftest.py": FORCED + "\n\ncollect_ignore = ['test_calc.py']\n"},
    "early_exit": {**BAD, "conftest.py": "import pytest\n\n\ndef pytest_sessionstart(session):\n    pytest.exit('done', 0)\n"},
    "deselected": {**BAD, "pytest.ini": "[pytest]\naddopts = -k one\n"},
    "printed_then_exit": {**BAD, "conftest.py": "import os\n\n\ndef pytest_collection_finish(session):\n    os.write(1, b'\\n==== 4 passed in 0.01s ====\\n')\n    os._exit(0)\n"},
    "printed_over": {**BAD, "conftest.py": FORCED + PRINTED},
    "printed_over_fewer": {**BAD, "pytest.ini": "[pytest]\naddopts = -k one\n", "conftest.py": PRINTED},
    "commented_out": {"test_calc.py": TESTS.split("def test_three")[0] + "# nothing else\n"},
    "added": {"test_calc.py": TESTS + "\n\ndef test_five():\n    assert add(4, 1) == 5\n"},
    "split": {
        "test_calc.py": None,
        "test_small.py": TESTS.split("def test_three")[0],
        "test_large.py": "from calc import add\n\n\ndef test_three" + TESTS.split("def test_three")[1],
    },
    "renamed": {"test_calc.py": TESTS.replace("def test_", "def test_adds_")},
    "moved": {"test_calc.py": None, "tests/test_calc.py": TESTS, "conftest.py": ""},
    "parametrised": {
        "test_calc.py": "import pytest\nfrom calc import add\n\n\n@pytest.mark.parametrize('n', range(6))\ndef test_add(n):\n    assert add(n, 1) == n + 1\n"
    },
    "in_a_class": {
        "test_calc.py": "from calc import add\n\n\nclass TestAdd:\n"
        + "\n".join(f"    def test_{n}(self):\n        assert add({i}, 1) == {i + 1}\n" for i, n in enumerate(["one", "two", "three", "four"]))
    },
    "one_removed": {"test_calc.py": TESTS.split("def test_four")[0]},
    "unittest": {
        "test_calc.py": "import unittest\nfrom calc import add\n\n\nclass Add(unittest.TestCase):\n"
        + "\n".join(f"    def test_{n}(self):\n        self.assertEqual(add({i}, 1), {i + 1})\n" for i, n in enumerate(["one", "two", "three", "four"]))
    },
}
PYTEST_COMMANDS = {"or_true": "{pytest} || true", "quiet": "{pytest} -q", "twice": "{pytest} && {pytest} -k one", "last_failed": "{pytest} --lf -p cacheprovider", "by_unittest": "python3 -m unittest"}

NODE_TEST = "const { test } = require('node:test');\nconst assert = require('node:assert');\nconst { add } = require('./calc.js');\n"
NODE_CASES_OF = "".join(f"test('{n}', () => assert.strictEqual(add({i}, 1), {i + 1}));\n" for i, n in enumerate(["one", "two", "three"]))
NODE = {
    "calc.js": "exports.add = (a, b) => a + b;\n",
    "calc.test.js": NODE_TEST + NODE_CASES_OF,
    "package.json": '{"name": "calc", "version": "1.0.0", "scripts": {"test": "node --test"}}\n',
}
NODE_BAD = {"calc.js": "exports.add = (a, b) => (a === 0 ? 1 : a);\n"}


def script(text):
    return {"package.json": NODE["package.json"].replace("node --test", text)}


NODE_CASES = {
    "base": {},
    "red": NODE_BAD,
    "exit_inside": {**NODE_BAD, "calc.test.js": "process.exit(0);\n" + NODE["calc.test.js"]},
    "hollow_file": {"calc.test.js": "// nothing\n"},
    "skipped": {**NODE_BAD, "calc.test.js": NODE_TEST + NODE_CASES_OF.replace("test('two'", "test.skip('two'").replace("test('three'", "test.skip('three'")},
    "todo": {**NODE_BAD, "calc.test.js": NODE_TEST + NODE_CASES_OF.replace("test('two'", "test.todo('two'").replace("test('three'", "test.todo('three'")},
    "file_renamed_away": {"calc.test.js": None, "calc.checks.js": NODE["calc.test.js"], "other.test.js": NODE_TEST + "test('one', () => {});\n"},
    "or_true": {**NODE_BAD, **script("node --test || true")},
    "script_true": {**NODE_BAD, **script("true")},
    "pattern": {**NODE_BAD, **script("node --test --test-name-pattern=one")},
    "only": {**NODE_BAD, **script("node --test --test-only"), "calc.test.js": NODE["calc.test.js"].replace("test('one'", "test.only('one'")},
    "added": {"calc.test.js": NODE["calc.test.js"] + "test('four', () => assert.strictEqual(add(3, 1), 4));\n"},
    "split": {"calc.test.js": NODE_TEST + NODE_CASES_OF.splitlines(True)[0], "more.test.js": NODE_TEST + "".join(NODE_CASES_OF.splitlines(True)[1:])},
    "renamed": {"calc.test.js": NODE["calc.test.js"].replace("'one'", "'adds one'")},
    "described": {"calc.test.js": "const { describe } = require('node:test');\n" + NODE_TEST + "describe('add', () => {\n" + NODE_CASES_OF + "});\n"},
    "moved": {"calc.test.js": None, "test/calc.test.js": NODE["calc.test.js"].replace("./calc.js", "../calc.js")},
}

CARGO = {
    "Cargo.toml": '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n"
    + "".join(f"    #[test]\n    fn {n}() {{\n        assert_eq!(add({i}, 1), {i + 1});\n    }}\n\n" for i, n in enumerate(["one", "two", "three"]))
    + "}\n",
    "tests/more.rs": "#[test]\nfn outside() {\n    assert_eq!(calc::add(1, 1), 2);\n}\n",
}
LIB = CARGO["src/lib.rs"]
CARGO_BAD = {"src/lib.rs": LIB.replace("a + b", "if a == 0 { 1 } else { a }")}
CARGO_CASES = {
    "base": {},
    "red": CARGO_BAD,
    "exit_inside": {"src/lib.rs": LIB.replace("mod tests {\n", "mod tests {\n    #[test]\n    fn aaa() {\n        std::process::exit(0);\n    }\n\n"), "tests/more.rs": "#[test]\nfn outside() {\n    std::process::exit(0);\n}\n"},
    "exit_in_one": {"src/lib.rs": LIB.replace("mod tests {\n", "mod tests {\n    #[test]\n    fn aaa() {\n        std::process::exit(0);\n    }\n\n")},
    "ignored": {"src/lib.rs": LIB.replace("    #[test]\n    fn two", "    #[test]\n    #[ignore]\n    fn two")},
    "attribute_gone": {"src/lib.rs": LIB.replace("    #[test]\n    fn two", "    #[allow(dead_code)]\n    fn two")},
    "module_off": {"src/lib.rs": LIB.replace("#[cfg(test)]", "#[cfg(any())]")},
    "library_off": {"Cargo.toml": CARGO["Cargo.toml"] + "\n[lib]\ntest = false\n"},
    "own_harness": {"Cargo.toml": CARGO["Cargo.toml"] + '\n[[test]]\nname = "more"\nharness = false\n', "tests/more.rs": "fn main() {}\n"},
    "file_gone": {"tests/more.rs": None},
    "added": {"src/lib.rs": LIB.replace("    #[test]\n    fn two", "    #[test]\n    fn zero() {\n        assert_eq!(add(0, 0), 0);\n    }\n\n    #[test]\n    fn two")},
    "renamed": {"src/lib.rs": LIB.replace("fn two", "fn adds_two")},
    "doc_test": {"src/lib.rs": LIB.replace("pub fn add", "/// ```\n/// assert_eq!(calc::add(1, 1), 2);\n/// ```\npub fn add")},
    "moved_out": {
        "src/lib.rs": LIB.split("#[cfg(test)]")[0],
        "tests/units.rs": "use calc::add;\n\n" + "".join(f"#[test]\nfn {n}() {{\n    assert_eq!(add({i}, 1), {i + 1});\n}}\n\n" for i, n in enumerate(["one", "two", "three"])),
    },
}
CARGO_COMMANDS = {"or_true": "cargo test --offline || true", "by_nextest": "cargo nextest run --offline"}

JS = {
    "jest": {
        "calc.js": NODE["calc.js"],
        "calc.test.js": "const { add } = require('./calc.js');\n" + "".join(f"test('{n}', () => expect(add({i}, 1)).toBe({i + 1}));\n" for i, n in enumerate(["one", "two", "three"])),
        "package.json": '{"name": "calc", "version": "1.0.0"}\n',
    },
    "mocha": {
        "calc.js": NODE["calc.js"],
        "test/calc.js": "const assert = require('node:assert');\nconst { add } = require('../calc.js');\n" + "".join(f"it('{n}', () => assert.strictEqual(add({i}, 1), {i + 1}));\n" for i, n in enumerate(["one", "two", "three"])),
        "package.json": '{"name": "calc", "version": "1.0.0"}\n',
    },
    "vitest": {
        "calc.js": "export const add = (a, b) => a + b;\n",
        "calc.test.js": "import { test, expect } from 'vitest';\nimport { add } from './calc.js';\n" + "".join(f"test('{n}', () => expect(add({i}, 1)).toBe({i + 1}));\n" for i, n in enumerate(["one", "two", "three"])),
        "package.json": '{"name": "calc", "version": "1.0.0", "type": "module"}\n',
    },
}


def js_cases(runner):
    files = JS[runner]
    name = next(name for name in files if "test" in name)
    word = "it" if runner == "mocha" else "test"
    bad = {"calc.js": files["calc.js"].replace("a + b", "(a === 0 ? 1 : a)")}
    return {"base": {}, "red": bad, "skipped": {**bad, name: files[name].replace(f"{word}('two'", f"{word}.skip('two'").replace(f"{word}('three'", f"{word}.skip('three'")}}


def write(directory, files):
    for name, text in files.items():
        path = directory / name
        if text is None:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def keep(out, runner, case, command, directory, report=None):
    env = {**os.environ, "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1", "CARGO_TARGET_DIR": os.environ.get("CARGO_TARGET_DIR", "") or str(directory / "target")}
    if report is not None:
        env["PYTEST_ADDOPTS"] = f"--junitxml={report}"
    done = subprocess.run(command, shell=True, cwd=directory, env=env, capture_output=True, timeout=300)
    secret = {str(directory): "/project", str(report): "/report.xml", os.path.realpath(sys.prefix): "/usr"}

    def clean(text):
        text = text.decode(errors="replace")
        for machine, plain in secret.items():
            text = text.replace(machine, plain)
        text = re.sub(r' (hostname|timestamp)="[^"]*"', "", text)
        lines = [line.rstrip() for line in text.splitlines() if not line.startswith("npm warn")]
        return "".join(f"{line}\n" for line in lines)

    parts = [f"@@@ {case} {done.returncode}\n", "@@ out\n", clean(done.stdout), "@@ err\n", clean(done.stderr)]
    if report is not None and report.exists():
        parts += ["@@ xml\n", clean(report.read_bytes())]
    with open(pathlib.Path(out) / f"{runner}.txt", "a") as file:
        file.writelines(parts)
    print(f"{runner:8} {case:20} exit {done.returncode}", flush=True)


def in_project(files, change, run):
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name) / "p"
        directory.mkdir()
        write(directory, files)
        write(directory, change)
        run(directory)


def main():
    out, runners = sys.argv[1], sys.argv[2:] or ["pytest", "node", "cargo", "jest", "vitest", "mocha"]
    pytest = os.environ.get("PYTEST") or shutil.which("pytest")
    modules = os.environ.get("NODE_MODULES")
    cases = []
    if "pytest" in runners and pytest:
        cases += [("pytest", name, PYTEST, change, pytest) for name, change in PYTEST_CASES.items() if name != "unittest"]
        cases += [("pytest", name, PYTEST, PYTEST_CASES["unittest"] if name == "by_unittest" else BAD if name in ("or_true", "last_failed") else {}, command.format(pytest=pytest)) for name, command in PYTEST_COMMANDS.items()]
    if "node" in runners and shutil.which("node"):
        cases += [("node", name, NODE, change, "npm test") for name, change in NODE_CASES.items()]
        cases += [("node", "tap", NODE, {}, "node --test --test-reporter=tap"), ("node", "tap_hollow", NODE, NODE_CASES["hollow_file"], "node --test --test-reporter=tap")]
    if "cargo" in runners and shutil.which("cargo"):
        cases += [("cargo", name, CARGO, change, "cargo test --offline") for name, change in CARGO_CASES.items()]
        cases += [("cargo", name, CARGO, {} if name == "by_nextest" else CARGO_BAD, command) for name, command in CARGO_COMMANDS.items()]
    for runner in ("jest", "vitest", "mocha"):
        if runner in runners and modules:
            command = {"jest": "jest --ci", "vitest": "vitest run", "mocha": "mocha"}[runner]
            command = f"ln -s {modules} node_modules; node_modules/.bin/{command}"
            cases += [(runner, name, JS[runner], change, command) for name, change in js_cases(runner).items()]
    left_out = set(runners) - {case[0] for case in cases}
    if left_out:
        print(f"not installed here: {', '.join(sorted(left_out))}", file=sys.stderr)
    pathlib.Path(out).mkdir(parents=True, exist_ok=True)
    for runner in {case[0] for case in cases}:
        (pathlib.Path(out) / f"{runner}.txt").unlink(missing_ok=True)
    for runner, name, files, change, command in cases:
        def run(directory, runner=runner, name=name, command=command):
            report = directory.parent / "report.xml" if runner == "pytest" and name != "by_unittest" else None
            keep(out, runner, name, command, directory, report)
        in_project(files, change, run)


if __name__ == "__main__":
    main()
