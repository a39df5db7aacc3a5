//! Front matter and sections of any text: the parts make up the whole, and nothing panics.
#![cfg(test)]

use hast_flow::formats::front_matter::{FrontMatter, Sections};
use hast_flow::formats::source::Source;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

fn text() -> impl Strategy<Value = String> {
    let piece = select(vec![
        "---",
        "---\n",
        "\n",
        "\r\n",
        "a: 1\n",
        "## ",
        "# ",
        "## Done\n",
        "```\n",
        "<!--\n",
        "-->\n",
        "가",
        "\u{feff}",
        " ",
        "\t",
        "#",
    ]);
    prop_oneof![4 => vec(piece, 0..20).prop_map(|pieces| pieces.concat()), 1 => any::<String>()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_parts_make_up_the_file(text in text()) {
        let source = Source::new("f", &text);
        if let Ok(parts) = FrontMatter::split(&source) {
            prop_assert!(parts.yaml.end < parts.body.start);
            prop_assert_eq!(text[..parts.yaml.start].trim_start_matches('\u{feff}').trim(), "---");
            prop_assert_eq!(text[parts.yaml.end..parts.body.start].trim(), "---");
            prop_assert_eq!(parts.body.end, text.len());
        }
    }

    #[test]
    fn sections_do_not_overlap_and_stay_inside_the_body(text in text(), start in 0..30usize, length in 0..90usize) {
        let end = text.floor_char_boundary(start + length);
        let sections = Sections::read(&Source::new("f", &text), start..start + length);
        let mut at = 0;
        for section in sections.iter() {
            prop_assert!(section.heading.start >= at);
            prop_assert!(section.body.start >= section.heading.end);
            prop_assert!(text[section.heading.clone()].contains(section.title));
            at = section.body.end;
            prop_assert!(at <= end);
        }
    }

    #[test]
    fn a_split_file_gives_back_its_parts(yaml in vec("[a-z가-힣: #-]{0,12}", 0..5), body in any::<String>(), crlf in any::<bool>()) {
        prop_assume!(yaml.iter().all(|line| line.trim_end() != "---"));
        let ending = if crlf { "\r\n" } else { "\n" };
        let yaml: String = yaml.iter().map(|line| format!("{line}{ending}")).collect();
        let text = format!("---{ending}{yaml}---{ending}{body}");
        let parts = FrontMatter::split(&Source::new("f", &text)).unwrap();
        prop_assert_eq!((&text[parts.yaml], &text[parts.body]), (&*yaml, &*body));
    }
}
