//! The map of a small project in each language: where it is, who uses it, which test is about it.

use hast_stage::Stage;

fn stage(files: &[(&str, &str)]) -> Stage {
    let stage = Stage::new(env!("CARGO_BIN_EXE_hast"));
    for (path, text) in files {
        stage.write(path, text);
    }
    stage
}

/// The map must have these parts of lines, in this order.
fn maps(files: &[(&str, &str)], question: &str, parts: &[&str]) {
    let stage = stage(files);
    let ran = stage.hast(&["explore", "--no-agent", question]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let mut rest = ran.out.as_str();
    for part in parts {
        let at = rest.find(part).unwrap_or_else(|| panic!("{part} is not next in:\n{}", ran.out));
        rest = &rest[at + part.len()..];
    }
}

#[test]
fn rust() {
    let files = [
        (
            "src/lock.rs",
            "//! Locks.\npub struct DriverLock;\nimpl DriverLock {\n    pub fn take() -> Self { DriverLock }\n    pub fn release(self) {}\n}\n",
        ),
        (
            "src/run.rs",
            "pub fn drive() {\n    let lock = DriverLock::take();\n    lock.release();\n}\n",
        ),
        ("src/main.rs", "fn main() { drive(); }\n"),
        ("src/other.rs", "pub fn clock() { /* no lock at all */ }\n"),
        ("tests/locks.rs", "#[test]\nfn it_is_released() { DriverLock::take().release(); }\n"),
    ];
    maps(
        &files,
        "how is the driver lock released?",
        &[
            "Files\n  src/lock.rs",
            "Symbols\n",
            "src/lock.rs:5  method DriverLock.release  (uses: 2)",
            "<- src/run.rs:3  drive  lock.release();",
            "Related tests\n  tests/locks.rs  (uses",
            "A change would reach\n  src/run.rs  (uses",
            "src/main.rs  (uses drive)",
        ],
    );
    maps(&files, "드라이버 잠금은 어떻게 해제되나요?", &["Files\n  src/lock.rs", "DriverLock"]);
}

#[test]
fn python() {
    let files = [
        (
            "shop/payment.py",
            "class PaymentGateway:\n    def charge(self, amount):\n        return amount\n",
        ),
        (
            "shop/cart.py",
            "from shop.payment import PaymentGateway\n\ndef checkout(cart):\n    # charge the card\n    return PaymentGateway().charge(cart.total)\n",
        ),
        ("shop/web.py", "from shop.cart import checkout\n\ndef post(r):\n    return checkout(r)\n"),
        (
            "tests/test_cart.py",
            "from shop.cart import checkout\n\ndef test_checkout():\n    assert checkout(c) == 3\n",
        ),
    ];
    maps(
        &files,
        "where is a payment charged?",
        &[
            "Files\n  shop/payment.py",
            "method PaymentGateway.charge  (uses: 1)",
            "<- shop/cart.py:5  checkout",
            "Related tests\n  tests/test_cart.py  (uses checkout, one step further)",
            "A change would reach\n  shop/cart.py  (uses PaymentGateway, charge)",
            "shop/web.py  (uses checkout, one step further)",
        ],
    );
    maps(&files, "결제는 어디서 하나요?", &["Files\n  shop/payment.py"]);
}

#[test]
fn typescript_and_javascript() {
    let files = [
        (
            "src/session.ts",
            "export class SessionStore {\n  async load(id: string): Promise<string> { return id; }\n}\nexport const parseToken = (text: string) => text;\n",
        ),
        (
            "src/login.js",
            "import { parseToken } from './session';\nexport function login(form) {\n  return parseToken(form.token);\n}\n",
        ),
        (
            "src/page.tsx",
            "import { login } from './login';\nexport function Page() {\n  return <form onSubmit={login} />;\n}\n",
        ),
        ("src/login.spec.ts", "it('logs in', () => { login({ token: 'parseToken' }); });\n"),
    ];
    maps(
        &files,
        "which code parses the login token?",
        &[
            "Files\n",
            "src/login.js",
            "Symbols\n",
            "function parseToken  (uses: 2)",
            "<- src/login.js:3  login  return parseToken(form.token);",
            "Related tests\n  src/login.spec.ts",
            "A change would reach\n",
            "src/page.tsx  (uses login",
        ],
    );
}

#[test]
fn go() {
    let files = [
        (
            "queue/lease.go",
            "package queue\n\ntype Lease struct{}\n\nfunc (l *Lease) Renew() error { return nil }\n",
        ),
        (
            "queue/sweep.go",
            "package queue\n\nfunc Sweep(all []*Lease) {\n\tfor _, l := range all {\n\t\tl.Renew()\n\t}\n}\n",
        ),
        ("cmd/main.go", "package main\n\nfunc main() { queue.Sweep(nil) }\n"),
        (
            "queue/lease_test.go",
            "package queue\n\nfunc TestRenew(t *testing.T) { (&Lease{}).Renew() }\n",
        ),
    ];
    maps(
        &files,
        "who renews a lease?",
        &[
            "method Lease.Renew  (uses: 2)",
            "<- queue/sweep.go:5  Sweep",
            "Related tests\n  queue/lease_test.go",
            "A change would reach\n  queue/sweep.go",
            "cmd/main.go  (uses Sweep, one step further)",
        ],
    );
}

#[test]
fn java() {
    let files = [
        ("src/main/java/Mailer.java", "class Mailer {\n  void sendMail(String to) {}\n}\n"),
        (
            "src/main/java/Signup.java",
            "class Signup {\n  void finish(Mailer mailer) {\n    mailer.sendMail(\"x\");\n  }\n}\n",
        ),
        (
            "src/main/java/Web.java",
            "class Web {\n  void post(Signup signup) { signup.finish(null); }\n}\n",
        ),
        (
            "src/test/java/SignupTest.java",
            "class SignupTest { void works() { new Mailer().sendMail(\"\"); } }\n",
        ),
    ];
    maps(
        &files,
        "when do we send mail?",
        &[
            "method Mailer.sendMail  (uses: 2)",
            "<- src/main/java/Signup.java:3  Signup.finish",
            "Related tests\n  src/test/java/SignupTest.java",
            "A change would reach\n  src/main/java/Signup.java  (uses Mailer, sendMail)",
            "src/main/java/Web.java  (uses finish, one step further)",
        ],
    );
}

#[test]
fn c_and_cpp() {
    maps(
        &[
            ("lib/buffer.h", "int ring_push(struct ring *r, char c);\n"),
            (
                "lib/buffer.c",
                "#include \"buffer.h\"\nint ring_push(struct ring *r, char c) {\n  return 0;\n}\n",
            ),
            ("app/main.c", "int main(void) {\n  return ring_push(0, 'x');\n}\n"),
            ("tests/test_ring.c", "void test_push(void) { ring_push(0, 'y'); }\n"),
        ],
        "ring push",
        &[
            "lib/buffer.c:2  function ring_push",
            "<- app/main.c:2  main",
            "Related tests\n  tests/test_ring.c",
            "A change would reach\n  app/main.c",
        ],
    );
    maps(
        &[
            ("lib/ring.hpp", "class Ring {\n public:\n  bool push(char c);\n};\n"),
            (
                "lib/ring.cpp",
                "#include \"ring.hpp\"\nbool Ring::push(char c) {\n  return c != 0;\n}\n",
            ),
            ("lib/feed.cpp", "void feed(Ring &ring) {\n  ring.push('x');\n}\n"),
            ("app/main.cpp", "int main() {\n  Feeder f;\n  feed(f.all());\n}\n"),
            ("tests/ring_test.cpp", "TEST(Ring, Pushes) { Ring ring; ring.push('a'); }\n"),
        ],
        "who pushes into the ring?",
        &[
            "lib/ring.cpp:2  method Ring.push",
            "<- lib/feed.cpp:2  feed  ring.push('x');",
            "Related tests\n  tests/ring_test.cpp",
            "A change would reach\n  lib/feed.cpp",
            "app/main.cpp  (uses feed, one step further)",
        ],
    );
}

#[test]
fn what_git_ignores_and_what_leads_elsewhere_is_not_read() {
    let stage = stage(&[
        (".gitignore", "generated/\n"),
        ("generated/lock.rs", "pub fn lock() {}\n"),
        ("src/lock.rs", "pub fn lock() {}\n"),
    ]);
    std::os::unix::fs::symlink("/etc", stage.root().join("etc")).unwrap();
    std::os::unix::fs::symlink("../generated/lock.rs", stage.root().join("src/link.rs")).unwrap();
    let ran = stage.hast(&["explore", "--no-agent", "lock", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("\"looked_at\": 1"), "{}", ran.out);
    assert_eq!(stage.hast(&["explore", "--no-agent", "lock", "--json"]).out, ran.out, "the same");
    assert!(!stage.has(".ai") && !stage.has(".hast"), "nothing is written");
}

#[test]
fn a_question_without_a_term_is_refused_in_both_languages() {
    let stage = stage(&[("a.rs", "fn a() {}\n")]);
    for question in ["", "  ", "how does it work?"] {
        let ran = stage.hast(&["explore", "--no-agent", question]);
        assert_eq!(ran.code, 2, "{ran:?}");
    }
    let ran = stage.hast(&["explore", "--no-agent", "어떻게 되나요", "--lang", "ko"]);
    assert!(ran.code == 2 && ran.err.contains("낱말이 없습니다"), "{ran:?}");
    let ran = stage.hast(&["explore", "--no-agent", "zebra", "--lang", "ko"]);
    assert!(ran.code == 0 && ran.out.contains("찾지 못했습니다"), "{ran:?}");
}
