//! robots.txt as RFC 9309 has it: the group of our name, else the one of everybody; the longest
//! rule that fits wins, and `Allow` wins a tie.

/// The name by which sites may address us.
pub const NAME: &str = "hast";

/// The rules that count for us.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Robots {
    rules: Vec<Rule>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    path: String,
    allow: bool,
}

/// Rules beyond this are not looked at: comparing them with a path takes time.
const MAX_RULES: usize = 5000;
const MAX_PATTERN: usize = 512;

impl Robots {
    pub fn parse(text: &str) -> Self {
        let (mut ours, mut all) = (Vec::new(), Vec::new());
        let (mut for_us, mut for_all, mut naming) = (false, false, false);
        let mut found = false;
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or_default();
            let Some((field, value)) = line.split_once(':') else { continue };
            let (field, value) = (field.trim().to_ascii_lowercase(), value.trim());
            if field == "user-agent" {
                if !naming {
                    (for_us, for_all) = (false, false);
                }
                naming = true;
                let is_us = value.to_ascii_lowercase().starts_with(NAME);
                for_us |= is_us;
                found |= is_us;
                for_all |= value == "*";
                continue;
            }
            if field != "allow" && field != "disallow" {
                continue;
            }
            naming = false;
            if value.is_empty() || value.len() > MAX_PATTERN {
                continue;
            }
            let rule = Rule { path: value.to_owned(), allow: field == "allow" };
            for (wanted, rules) in [(for_us, &mut ours), (for_all, &mut all)] {
                if wanted && rules.len() < MAX_RULES {
                    rules.push(rule.clone());
                }
            }
        }
        Self { rules: if found { ours } else { all } }
    }

    /// Whether a path with its query may be fetched.
    pub fn allow(&self, path: &str) -> bool {
        let fitting = self.rules.iter().filter(|rule| fits(&rule.path, path));
        fitting.max_by_key(|rule| (rule.path.len(), rule.allow)).is_none_or(|rule| rule.allow)
    }
}

/// `*` stands for anything, `$` at the end for the end.
fn fits(pattern: &str, path: &str) -> bool {
    let (pattern, ends) = match pattern.strip_suffix('$') {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut parts = pattern.split('*');
    let Some(mut rest) = path.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else { return !ends || rest.is_empty() };
    for part in between {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    if ends { rest.ends_with(last) } else { rest.contains(last) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_longest_rule_wins_and_allow_wins_a_tie() {
        let robots =
            Robots::parse("User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /x\nAllow: /x");
        assert!(!robots.allow("/a/c"));
        assert!(robots.allow("/a/b/c"));
        assert!(robots.allow("/x"));
        assert!(robots.allow("/"));
    }

    #[test]
    fn the_group_of_our_name_replaces_the_one_of_everybody() {
        let text = "User-agent: *\nDisallow: /\n\nUser-agent: other\nUser-agent: hast\nDisallow: /private # no\n";
        let robots = Robots::parse(text);
        assert!(robots.allow("/news"));
        assert!(!robots.allow("/private/x"));
        assert!(!Robots::parse("User-agent: *\nDisallow: /").allow("/news"));
        // An empty group of our own allows everything.
        assert!(
            Robots::parse("User-agent: *\nDisallow: /\nUser-agent: hast\nDisallow:").allow("/a")
        );
    }

    #[test]
    fn stars_and_ends_are_understood() {
        let robots =
            Robots::parse("user-agent: *\ndisallow: /*.pdf$\ndisallow: /a*b*c\nDisallow: /q?id=");
        assert!(!robots.allow("/x/report.pdf"));
        assert!(robots.allow("/x/report.pdf?x"));
        assert!(!robots.allow("/a-b-c-d"));
        assert!(robots.allow("/a-c"));
        assert!(!robots.allow("/q?id=3"));
    }

    proptest! {
        #[test]
        fn any_file_and_any_path_are_judged(text in "(?s).{0,200}", path in "/.{0,40}") {
            Robots::parse(&text).allow(&path);
            Robots::parse(&format!("User-agent: *\nDisallow: {text}")).allow(&path);
        }
    }
}
