//! One item of a 10-K or 10-Q, found in the document's text by its headings.
//!
//! The table of contents names every item too; of all places where an item seems to begin, the one
//! with the longest text until the next heading is the item itself.

use std::ops::Range;

use hast_flow::tools::args::FilingForm;

/// A line that begins an item, or a part if it has no item.
struct Heading {
    at: usize,
    part: u8,
    item: String,
}

/// The text of an item, with its heading.
pub fn find(text: &str, form: FilingForm, (part, item): (u8, &str)) -> Option<String> {
    let headings = headings(text, form);
    let spans = headings.iter().enumerate().filter_map(|(index, heading)| {
        if heading.part != part || heading.item != item {
            return None;
        }
        // `Item 7 (continued)` at the top of a page does not end item 7.
        let end = headings[index + 1..]
            .iter()
            .find(|next| next.part != part || (next.item != item && !next.item.is_empty()));
        Some(heading.at..end.map_or(text.len(), |next| next.at))
    });
    let longest = spans.max_by_key(Range::len)?;
    let found = text.get(longest)?.trim();
    // A row of the table of contents is not the section.
    (found.lines().filter(|line| !line.trim().is_empty()).count() > 1).then(|| format!("{found}\n"))
}

fn headings(text: &str, form: FilingForm) -> Vec<Heading> {
    let mut headings = Vec::new();
    let (mut at, mut current) = (0, 1);
    for line in text.split_inclusive('\n') {
        let words = plain(line);
        if let Some(part) = part_of(&words) {
            current = part;
        }
        if let Some(item) = item_of(&words) {
            let part = match form {
                FilingForm::Annual => part_of_annual(&item),
                FilingForm::Quarterly => current,
            };
            headings.push(Heading { at, part, item });
        } else if let Some(part) = part_of(&words) {
            headings.push(Heading { at, part, item: String::new() });
        }
        at += line.len();
    }
    headings
}

/// The beginning of a line without marks of Markdown, in capitals.
fn plain(line: &str) -> String {
    let kept = line.chars().take(200).map(|c| if "#*_|>[]\\\u{a0}".contains(c) { ' ' } else { c });
    let kept: String = kept.collect();
    kept.split_whitespace().collect::<Vec<_>>().join(" ").to_uppercase()
}

fn part_of(words: &str) -> Option<u8> {
    let rest = words.strip_prefix("PART ")?;
    let number: String = rest.chars().take_while(|c| "IV".contains(*c)).collect();
    let after = rest[number.len()..].chars().next();
    if after.is_some_and(char::is_alphanumeric) {
        return None;
    }
    match number.as_str() {
        "I" => Some(1),
        "II" => Some(2),
        "III" => Some(3),
        "IV" => Some(4),
        _ => None,
    }
}

/// `ITEM 7A.`, at the beginning or after `PART II,`.
fn item_of(words: &str) -> Option<String> {
    let start = match words.strip_prefix("PART ") {
        // The numeral, and then what stands between it and the item.
        Some(rest) => rest
            .trim_start_matches(['I', 'V'])
            .trim_start_matches([',', '.', ':', '-', '—', '–', ' ']),
        None => words,
    };
    let rest = start.strip_prefix("ITEM ").or_else(|| start.strip_prefix("ITEMS "))?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let after = &rest[digits.len()..];
    let letter = after.chars().next().filter(|c| ('A'..='C').contains(c));
    let after = &after[letter.map_or(0, char::len_utf8)..];
    // `Item 7 of this report` in a sentence is no heading.
    let ends = after.is_empty() || after.starts_with(['.', ':', '-', '—', '–', ' ', '(']);
    let mentioned = ["OF ", "AND ", "IN ", "ABOVE", "BELOW", "TO "];
    let sentence = mentioned.iter().any(|word| after.trim_start().starts_with(word));
    if digits.is_empty() || digits.len() > 2 || !ends || sentence {
        return None;
    }
    Some(format!("{digits}{}", letter.map(String::from).unwrap_or_default()))
}

fn part_of_annual(item: &str) -> u8 {
    let number: u8 = item.trim_end_matches(|c: char| c.is_alphabetic()).parse().unwrap_or(0);
    match number {
        0..=4 => 1,
        5..=9 => 2,
        10..=14 => 3,
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ANNUAL: &str = "| Item 1. | Business | 3 |\n| Item 1A. | Risk Factors | 9 |\n| Item 7. | MD&A | 20 |\n\n\
        **PART I**\n\n**Item 1. Business**\n\nWe make sensors.\nSee Item 1A of this report.\n\n\
        ### ITEM 1A. RISK FACTORS\n\nWe may fail.\n\nMany ways.\n\nItem\u{a0}1A. Risk Factors (continued)\n\nMore ways.\n\n\
        PART II, Item 7. Discussion\n\nSales rose.\n";

    #[test]
    fn a_section_is_its_text_and_not_its_row_in_the_contents() {
        let of = |item| find(ANNUAL, FilingForm::Annual, item);
        let business = of((1, "1")).unwrap();
        assert!(business.starts_with("**Item 1. Business**"), "{business}");
        assert!(business.contains("See Item 1A of this report") && !business.contains("may fail"));
        let risks = of((1, "1A")).unwrap();
        assert!(risks.contains("We may fail") && risks.contains("More ways"), "{risks}");
        assert!(of((2, "7")).unwrap().contains("Sales rose"));
        assert_eq!(of((2, "8")), None);
    }

    #[test]
    fn the_items_of_a_quarterly_report_are_told_apart_by_their_part() {
        let text = "PART I\nItem 1. Financial Statements\nassets\nItem 2. Discussion\nsales\nPART II\nItem 1. Legal\nnone\nItem 1A. Risks\nfew\n";
        let of = |item| find(text, FilingForm::Quarterly, item);
        assert_eq!(of((1, "1")).unwrap(), "Item 1. Financial Statements\nassets\n");
        assert_eq!(of((2, "1")).unwrap(), "Item 1. Legal\nnone\n");
    }

    proptest! {
        #[test]
        fn any_text_is_searched(text in "(?s)(item|part|ITEM 7A|PART II|[ .\\n0-9가|]|.){0,60}") {
            for form in [FilingForm::Annual, FilingForm::Quarterly] {
                find(&text, form, (2, "7A"));
                find(&text, form, (1, "1"));
            }
        }
    }
}
