//! Markdown as HTML that can do nothing: no raw HTML, no images from elsewhere, no other links than to
//! the web and within the page.

use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, TagEnd, html};

pub(super) fn rendered(text: &str) -> String {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS;
    let mut out = String::with_capacity(text.len() * 2);
    html::push_html(&mut out, Parser::new_ext(text, options).filter_map(harmless));
    out
}

fn harmless(event: Event<'_>) -> Option<Event<'_>> {
    Some(match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        // Headings of a report stand under the headings of the page.
        Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
        Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
        // What an image would show stays as its words.
        Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => return None,
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let dest_url =
                if goes_well(link_type, &dest_url) { dest_url } else { CowStr::from("#") };
            Event::Start(Tag::Link { link_type, dest_url, title, id })
        }
        other => other,
    })
}

fn goes_well(kind: LinkType, to: &str) -> bool {
    kind != LinkType::Email
        && (to.starts_with("https://") || to.starts_with("http://") || to.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::rendered;

    #[test]
    fn tables_footnotes_and_lists_are_drawn() {
        let html = rendered("| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done[^1]\n\n[^1]: source\n");
        for part in ["<table>", "checkbox", "footnote", "source"] {
            assert!(html.contains(part), "{part}: {html}");
        }
    }

    #[test]
    fn links_to_the_web_stay_and_others_lead_nowhere() {
        let html =
            rendered("[a](https://example.org/x) [b](file:///etc/passwd) [c](data:text/html,x)");
        assert!(html.contains("href=\"https://example.org/x\""), "{html}");
        assert!(!html.contains("file:") && !html.contains("data:"), "{html}");
    }
}
