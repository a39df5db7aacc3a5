//! Lines that were taken out of a log: `verify` misses each of them.

use hast_stage::Stage;

/// Takes out every line of a log by itself, its first half, and all of it; `verify` finds all of that, and
/// nothing when the log is as it was.
pub(crate) fn every_line_is_missed(stage: &Stage, log: &str, verify: &[&str]) {
    let before = stage.read(log);
    let lines: Vec<&str> = before.lines().collect();
    let finds = |what: &str, text: String| {
        stage.write(log, &text);
        let ran = stage.hast(verify);
        assert!(
            ran.out.contains("events.ndjson") || ran.out.contains("status_log.ndjson"),
            "{what} was taken out: {ran:?}"
        );
        assert_eq!(ran.code, 1, "{what} was taken out: {ran:?}");
    };
    let joined = |kept: &[&str]| kept.iter().map(|line| format!("{line}\n")).collect::<String>();
    for (at, line) in lines.iter().enumerate() {
        let mut kept = lines.clone();
        kept.remove(at);
        finds(line, joined(&kept));
    }
    finds("the first half", joined(&lines[lines.len() / 2..]));
    finds("the last half", joined(&lines[..lines.len() / 2]));
    finds("everything", String::new());
    stage.write(log, before);
    let ran = stage.hast(verify);
    assert_eq!(ran.code, 0, "nothing was taken out: {ran:?}");
}
