//! Two examples for the help page of each command. They are typed as they stand, whatever the language.

/// The examples of a command, by its whole path.
pub(crate) fn of(path: &str) -> &'static [&'static str] {
    let found = EXAMPLES.iter().find(|(name, _)| *name == path);
    found.map_or(&[], |(_, lines)| lines.as_slice())
}

type Examples = (&'static str, [&'static str; 2]);

const EXAMPLES: &[Examples] = &[
    ("hast init", ["hast init", "hast init --agent claude --goal \"Reject empty passwords\""]),
    (
        "hast goal add",
        [
            "hast goal add \"Reject empty passwords\" --allow src/auth/ --allow tests/",
            "hast goal add \"Name the field\" --under M4 --accept \"the message names the field\"",
        ],
    ),
    ("hast goal list", ["hast goal list", "hast goal list --json"]),
    (
        "hast goal import",
        [
            "gh issue list --json number,title,body | hast goal import",
            "hast goal import --under M4 < issues.json",
        ],
    ),
    ("hast demo", ["hast demo", "hast demo session"]),
    ("hast agent list", ["hast agent list", "hast agent list --json"]),
    ("hast agent doctor", ["hast agent doctor", "hast agent doctor --fix"]),
    ("hast agent limits", ["hast agent limits", "hast agent limits --clear claude"]),
    (
        "hast agent run",
        [
            "hast agent run --role worker --prompt-file task.md",
            "hast agent run --role explorer --prompt-file task.md --tool codex --timeout 10m",
        ],
    ),
    (
        "hast agent prompt",
        ["hast agent prompt", "hast agent prompt --flow session --role critic --step review"],
    ),
    (
        "hast agent record",
        [
            "hast agent record .ai/.hast/calls/auto/1",
            "hast agent record .ai/.hast/calls/auto/1 --base HEAD > bug.rehearsal.yaml",
        ],
    ),
    (
        "hast agent rehearse",
        ["hast agent rehearse a.rehearsal.yaml", "hast agent rehearse a.rehearsal.yaml --raw"],
    ),
    ("hast agent tool", ["hast agent tool --list", "hast agent tool sec_facts --schema"]),
    ("hast trust", ["hast trust", "hast trust --yes"]),
    (
        "hast auto",
        ["hast auto --until 07:00 --budget 5usd", "hast auto M4 --recursive --parallel 3"],
    ),
    ("hast retry", ["hast retry M3 \"the limit is eight characters\"", "hast retry M3 --continue"]),
    ("hast take", ["hast take M3", "hast take M3@2"]),
    ("hast undo", ["hast undo M3", "hast undo M3 --json"]),
    ("hast context", ["hast context", "hast context --goal M3 --format json"]),
    (
        "hast explore",
        [
            "hast explore \"where is the lock taken?\"",
            "hast explore --no-agent \"where is the lock taken?\"",
        ],
    ),
    ("hast status", ["hast status", "hast status --json"]),
    ("hast show", ["hast show M3", "hast show M3@2"]),
    ("hast log", ["hast log M3", "hast log M3 --follow"]),
    ("hast diff", ["hast diff M3", "hast diff M3@2 | less"]),
    ("hast try", ["hast try M3", "hast try M3@2 --dir ../look"]),
    ("hast inbox list", ["hast inbox list", "hast inbox list --include-resolved"]),
    ("hast inbox summary", ["hast inbox summary", "hast inbox summary --top-k 10"]),
    ("hast inbox show", ["hast inbox show M3", "hast inbox show INB_0123456789ab"]),
    (
        "hast inbox act",
        [
            "hast inbox act M3 --action approve --text \"eight characters\"",
            "hast inbox act INB_0123456789ab --action defer --operator kim",
        ],
    ),
    ("hast search", ["hast search \"retry\"", "hast search \"lock\" \"lease\" --json"]),
    ("hast verify", ["hast verify", "hast verify .ai/goals.yaml"]),
    (
        "hast session start",
        [
            "hast session start \"How large is the market for X?\"",
            "hast session start \"How large is the market for X?\" --parallel 3",
        ],
    ),
    ("hast session resume", ["hast session resume", "hast session resume S-20260209-0001"]),
    ("hast session list", ["hast session list", "hast session list --json"]),
    ("hast session show", ["hast session show", "hast session show --html report.html"]),
    ("hast session verify", ["hast session verify", "hast session verify S-20260209-0001"]),
    (
        "hast session answer",
        [
            "hast session answer Q1 \"the last five years\"",
            "hast session answer Q1 \"yes\" --session S-20260209-0001",
        ],
    ),
    (
        "hast session replan",
        [
            "hast session replan --reason \"the source is gone\"",
            "hast session replan S-20260209-0001 --reason \"the source is gone\"",
        ],
    ),
    (
        "hast run start",
        ["hast run start \"Make the quarterly report\"", "hast run start \"Again\" --yes"],
    ),
    ("hast run resume", ["hast run resume", "hast run resume run-1"]),
    ("hast run list", ["hast run list", "hast run list --json"]),
    ("hast run show", ["hast run show", "hast run show --html report.html"]),
    ("hast run verify", ["hast run verify", "hast run verify run-1"]),
    ("hast run confirm", ["hast run confirm", "hast run confirm run-1"]),
    (
        "hast run modify",
        ["hast run modify \"leave the charts out\"", "hast run modify \"shorter\" run-1"],
    ),
    ("hast run cancel", ["hast run cancel", "hast run cancel --reason \"not needed\""]),
    ("hast kernel boot", ["hast kernel boot", "hast kernel boot --json"]),
    (
        "hast kernel start",
        [
            "hast kernel start \"Compare the two designs\"",
            "hast kernel start \"Compare the two designs\" --tool codex",
        ],
    ),
    ("hast kernel resume", ["hast kernel resume", "hast kernel resume --tool codex"]),
    ("hast kernel list", ["hast kernel list", "hast kernel list --json"]),
    ("hast kernel show", ["hast kernel show", "hast kernel show --json"]),
    ("hast kernel verify", ["hast kernel verify", "hast kernel verify --json"]),
    ("hast kernel experts list", ["hast kernel experts list", "hast kernel experts list --json"]),
    (
        "hast kernel experts check",
        ["hast kernel experts check", "hast kernel experts check --json"],
    ),
    (
        "hast kernel experts add",
        [
            "hast kernel experts add reviewer",
            "hast kernel experts add reviewer --role \"reads code\" --timeout 20",
        ],
    ),
    (
        "hast contract start",
        [
            "hast contract start \"A basket with discounts\"",
            "hast contract start \"A basket with discounts\" --tool codex",
        ],
    ),
    ("hast contract resume", ["hast contract resume", "hast contract resume --tool codex"]),
    ("hast contract stop", ["hast contract stop", "hast contract stop --json"]),
    ("hast contract list", ["hast contract list", "hast contract list --json"]),
    ("hast contract show", ["hast contract show", "hast contract show --json"]),
    ("hast contract verify", ["hast contract verify", "hast contract verify --json"]),
    (
        "hast contract knowledge list",
        ["hast contract knowledge list", "hast contract knowledge list --json"],
    ),
    (
        "hast contract knowledge add",
        [
            "hast contract knowledge add \"prices are integers\" --decision money --rationale \"no rounding\"",
            "hast contract knowledge add \"retry once\" --pattern retry --rationale \"it is enough\"",
        ],
    ),
    (
        "hast queue claim",
        ["hast queue claim --worker w1", "hast queue claim --worker w1 --goal M3 --ttl 60"],
    ),
    (
        "hast queue renew",
        [
            "hast queue renew QCLM_0123456789ab --worker w1",
            "hast queue renew QCLM_0123456789ab --worker w1 --ttl 60",
        ],
    ),
    (
        "hast queue release",
        [
            "hast queue release QCLM_0123456789ab --worker w1",
            "hast queue release QCLM_0123456789ab --worker w1 --goal-status blocked",
        ],
    ),
    ("hast queue list", ["hast queue list", "hast queue list --active-only"]),
    ("hast queue sweep", ["hast queue sweep", "hast queue sweep --json"]),
    (
        "hast protocol export",
        [
            "hast protocol export --adapter generic > task.json",
            "hast protocol export --adapter a2a --goal M3",
        ],
    ),
    (
        "hast protocol ingest",
        ["hast protocol ingest result.json", "hast protocol ingest result.json --json"],
    ),
    (
        "hast decision new",
        [
            "hast decision new D1 --question \"Which parser?\"",
            "hast decision new D1 --question \"Which parser?\" --alternative a=A --alternative b=B",
        ],
    ),
    (
        "hast decision evaluate",
        [
            "hast decision evaluate .ai/decisions/D1.yaml",
            "hast decision evaluate .ai/decisions/D1.yaml --json",
        ],
    ),
    (
        "hast decision spike",
        [
            "hast decision spike .ai/decisions/D1.yaml --parallel 2",
            "hast decision spike .ai/decisions/D1.yaml --accept",
        ],
    ),
    ("hast events replay", ["hast events replay", "hast events replay --no-write"]),
    ("hast events tail", ["hast events tail -n 50", "hast events tail --follow"]),
    (
        "hast observe baseline",
        ["hast observe baseline", "hast observe baseline --window 30 --json"],
    ),
    ("hast completions", ["hast completions bash > hast.bash", "hast completions zsh > _hast"]),
];

/// The words of the command in a line, as a shell hands them over.
#[cfg(test)]
pub(crate) fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().into_iter().for_each(|word| word.push(c)),
        }
    }
    let of_hast = words.iter().skip_while(|word| *word != "hast");
    of_hast.take_while(|word| !matches!(word.as_str(), "|" | ">" | "<")).cloned().collect()
}
