//! Where the documents of a kernel are, below `.brain/`.

use std::fmt::Write as _;

use crate::ids::RequestUuid;
use crate::plain_name::plain_name;
use crate::store::DocPath;

pub const STATUS: &str = "kernel_status.json";
pub const BRAIN: &str = "brain.yaml";
pub const INDEX: &str = "experts/index.yaml";
pub const MIRROR: &str = "activeContext.md";
pub const LOG: &str = "events.ndjson";

pub fn expert(name: &str) -> String {
    format!("experts/{name}.yaml")
}

/// The name of the expert whose file this is.
pub fn expert_of(path: &str) -> Option<&str> {
    let name = path.strip_prefix("experts/")?.strip_suffix(".yaml")?;
    (name != "index" && !name.contains('/')).then_some(name)
}

/// A file of a request.
pub fn of_request(request: &RequestUuid, name: &str) -> String {
    format!("requests/{request}/{name}")
}

/// Where the files of an item go. Ids are the planner's words, so nothing in them may act as a path; later
/// agents read these files.
pub fn output(item: &str, file: &str) -> String {
    format!("outputs/{}/{file}", plain_name(item))
}

/// Where the result of an item may lie: there, and where an earlier version put it.
pub fn results(item: &str) -> [String; 2] {
    [output(item, "output.json"), format!("outputs/{}/output.json", key_part(item))]
}

/// The report; a second one is numbered.
pub fn report(number: u32) -> String {
    match number {
        0 | 1 => "report.md".to_owned(),
        later => format!("report.{later}.md"),
    }
}

/// Whether a new file never changes again: those of a request. Experts are people's.
pub fn is_written_once(path: &str) -> bool {
    path.starts_with("requests/")
}

/// Whether what comes after rests on this file of a request.
pub fn is_rested_on(rest: &str) -> bool {
    rest.starts_with("outputs/") || (rest.starts_with("report") && rest.ends_with(".md"))
}

/// An id as one part of a step's key.
pub fn key_part(id: &str) -> String {
    let mut text = String::new();
    for (index, byte) in id.bytes().enumerate() {
        let plain = byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if plain || (byte == b'.' && index > 0) {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

/// Whether driving a request needs this: everything of its own, and of the others what the mirror
/// may show. Their outputs and messages grow without bound and count for nothing.
pub fn is_read(path: &str, is_dir: bool, own: Option<&RequestUuid>) -> bool {
    let Some(below) = path.strip_prefix("requests/") else { return true };
    match below.split_once('/') {
        None => is_dir,
        Some((id, _)) if own.is_some_and(|own| own.as_str() == id) => true,
        Some((_, rest)) => !is_dir && rest == "plan.json",
    }
}

pub fn path(text: &str) -> Option<DocPath> {
    DocPath::new(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_one_part_of_a_path_whatever_it_says() {
        assert_eq!(key_part("b/s1"), "b%2Fs1");
        assert_eq!(key_part("../../x"), "%2E.%2F..%2Fx");
        assert_eq!(output("b/s1", "output.json"), "outputs/b+s1/output.json");
        assert_eq!(output("조사", "a.md"), "outputs/조사/a.md");
        assert_eq!(results("b/s1")[1], "outputs/b%2Fs1/output.json");
        assert!(path(&output("../../../etc", "output.json")).is_some());
    }

    #[test]
    fn of_other_requests_only_the_plan_is_read() {
        let own: RequestUuid = RequestUuid::EXAMPLE.parse().unwrap();
        let read = |path: &str, is_dir| is_read(path, is_dir, Some(&own));
        assert!(read("requests", true) && read("requests/x", true) && read("brain.yaml", false));
        assert!(read(&of_request(&own, "outputs"), true));
        assert!(read(&of_request(&own, "outputs/a/output.json"), false));
        assert!(read("requests/x/plan.json", false));
        assert!(!read("requests/x/outputs", true) && !read("requests/x/transcript", true));
        assert!(!read("requests/x/errors.ndjson", false));
        assert!(!is_read(&of_request(&own, "outputs"), true, None));
    }

    #[test]
    fn an_expert_is_known_by_its_file() {
        assert_eq!(expert_of("experts/ResearchExpert.yaml"), Some("ResearchExpert"));
        assert_eq!(expert_of("experts/index.yaml"), None);
        assert_eq!(expert_of("experts/a/b.yaml"), None);
    }
}
