//! Links the program to a fixed address on Linux: the loader would otherwise rewrite 45,000 pointers
//! at each start, and each agent and each test run starts three guards. See docs/decisions/0025.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let of = |name: &str| std::env::var(name).unwrap_or_default();
    if of("CARGO_CFG_TARGET_OS") == "linux" && of("CARGO_CFG_TARGET_ENV") == "gnu" {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
