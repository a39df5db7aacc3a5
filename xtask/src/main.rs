//! Development tasks: `cargo xtask soak`.

mod soak;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((task, rest)) if task == "soak" => soak::run(rest),
        _ => {
            eprintln!("tasks: soak");
            ExitCode::from(2)
        }
    }
}
