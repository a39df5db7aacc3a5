//! The arguments of `auto`, `retry` and `take`.

use clap::builder::NonEmptyStringValueParser as NonEmpty;

#[derive(Debug, clap::Args)]
pub(crate) struct AutoArgs {
    #[arg(id = "auto_goal", value_name = "GOAL")]
    pub(crate) goal: Option<String>,
    #[arg(long)]
    pub(crate) recursive: bool,
    #[arg(long, conflicts_with_all = ["auto_goal", "recursive"])]
    pub(crate) one: bool,
    #[arg(long, value_name = "HH:MM")]
    pub(crate) until: Option<String>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) max_goals: Option<u32>,
    #[arg(long, value_name = "5usd|200k|90m")]
    pub(crate) budget: Option<String>,
    #[arg(long)]
    pub(crate) now: bool,
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[arg(long)]
    pub(crate) dry_run_full: bool,
    #[arg(long = "continue", id = "go_on", conflicts_with_all = ["dry_run", "dry_run_full"])]
    pub(crate) go_on: bool,
    #[arg(long, requires = "go_on", conflicts_with = "parallel")]
    pub(crate) fewer_tests: bool,
    #[arg(long, conflicts_with_all = ["auto_goal", "recursive", "dry_run", "dry_run_full", "gc", "go_on"])]
    #[arg(num_args = 0..=1, require_equals = true, value_name = "REF")]
    pub(crate) undo: Option<Option<String>>,
    #[arg(long, conflicts_with_all = ["auto_goal", "recursive", "dry_run", "dry_run_full", "go_on"])]
    pub(crate) gc: bool,
    #[arg(long)]
    pub(crate) explain: bool,
    #[arg(long, id = "auto_tool", value_name = "NAME")]
    pub(crate) tool: Option<String>,
    #[arg(long, hide = true)]
    pub(crate) isolate: bool,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    pub(crate) parallel: Option<u8>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct TakeArgs {
    #[arg(id = "take_goal", value_name = "GOAL[@N]")]
    pub(crate) goal: String,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RetryArgs {
    #[arg(id = "retry_goal", value_name = "GOAL")]
    pub(crate) goal: String,
    #[arg(id = "retry_text", value_name = "TEXT", value_parser = NonEmpty::new())]
    pub(crate) text: Option<String>,
    #[arg(long)]
    pub(crate) no_run: bool,
    #[arg(long = "continue", id = "go_on", conflicts_with = "no_run")]
    pub(crate) go_on: bool,
    #[arg(long, requires = "go_on")]
    pub(crate) fewer_tests: bool,
    #[arg(long)]
    pub(crate) keep_attempts: bool,
    #[arg(long)]
    pub(crate) explain: bool,
    #[arg(long, id = "auto_tool", value_name = "NAME")]
    pub(crate) tool: Option<String>,
}
