//! Any text as one name of a file or directory that an agent may be told: readable, and without signs that
//! programs take apart. Some agents decode `%2F` in a path; a comma parts lists, an `@` names files.

use sha2::{Digest, Sha256};

/// The longest name in bytes; file systems take 255, and others add to it.
pub const LONGEST: usize = 180;
/// Marks a hash; `=` is followed by two digits else.
const MARK: &str = "=-";

/// A name for a text. Different texts have different names, and a plain text is its own name.
pub fn plain_name(text: &str) -> String {
    let name = spelled(text);
    if name.len() <= LONGEST { name } else { marked(&name, text) }
}

/// A name for a text of which some parts are percent-encoded: told as what they stand for.
pub fn plain_name_of_encoded(text: &str) -> String {
    match decoded(text) {
        // The hash tells it from a text that has these signs themselves.
        Some(meant) => marked(&spelled(&meant), text),
        None => plain_name(text),
    }
}

/// Whether a name can be one of these, or one of an earlier version, which had percent signs.
pub fn is_plain_name(name: &str) -> bool {
    let letters = name.replace(['%', '+', '='], "_");
    !name.is_empty() && spelled(&letters) == letters
}

fn spelled(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    for (at, sign) in text.char_indices() {
        let rest = &text[at..];
        // Git refuses a dot that is first, last or doubled, and a name that ends in `.lock`.
        let dot = sign == '.'
            && at > 0
            && rest.len() > 1
            && !text[..at].ends_with('.')
            && rest != ".lock";
        match sign {
            '/' => name.push('+'),
            '-' | '_' => name.push(sign),
            _ if sign.is_alphanumeric() || dot => name.push(sign),
            _ => {
                let mut bytes = [0; 4];
                for byte in sign.encode_utf8(&mut bytes).bytes() {
                    name += &format!("={byte:02X}");
                }
            }
        }
    }
    if name.is_empty() { "=".to_owned() } else { name }
}

/// The beginning of a name, with a hash of the text that it stands for.
fn marked(name: &str, text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let hash: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let mut end = name.len().min(LONGEST - MARK.len() - hash.len());
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{MARK}{hash}", &name[..end])
}

/// The text with its percent codes read; none where there are none, or where they are no text.
fn decoded(text: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, after @ ..] = rest {
        let code = after.get(..2).filter(|_| *first == b'%').and_then(|code| {
            let code = std::str::from_utf8(code).ok()?;
            u8::from_str_radix(code, 16).ok()
        });
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).ok().filter(|meant| meant != text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_name_is_readable_and_has_no_sign_that_an_agent_decodes() {
        for (text, name) in [
            ("M4.3.2", "M4.3.2"),
            ("S-1/plan/v1", "S-1+plan+v1"),
            ("사용자 로그인/1", "사용자=20로그인+1"),
            ("a%2Fb", "a=252Fb"),
            ("a+b=c,d", "a=2Bb=3Dc=2Cd"),
            ("../x", "=2E=2E+x"),
            (".hidden", "=2Ehidden"),
            ("end.", "end=2E"),
            ("x.lock", "x=2Elock"),
            ("a\nb", "a=0Ab"),
            ("", "="),
        ] {
            assert_eq!(plain_name(text), name, "{text}");
            assert!(is_plain_name(&plain_name(text)), "{text}");
        }
    }

    #[test]
    fn a_text_with_encoded_parts_is_told_as_what_it_means_and_is_not_mixed_up() {
        let name = plain_name_of_encoded("%EB%AA%A9%2F1/1/call/0");
        assert!(name.starts_with("목+1+1+call+0=-"), "{name}");
        assert_ne!(name, plain_name_of_encoded("목/1/1/call/0"));
        assert_ne!(name, plain_name_of_encoded("%EB%AA%A9/1/1/call/0"));
        assert_eq!(plain_name_of_encoded("M1/1/call/0"), "M1+1+call+0");
        assert_eq!(plain_name_of_encoded("100%/a"), "100=25+a");
    }

    #[test]
    fn names_of_an_earlier_version_are_known_and_names_that_lead_elsewhere_are_not() {
        for name in ["%2E%2E%2Fx", "M1", "목+1", "a.b"] {
            assert!(is_plain_name(name), "{name}");
        }
        for name in ["..", ".hidden", "a b", "x.lock", "", "a/b", "a~1", "a:b"] {
            assert!(!is_plain_name(name), "{name}");
        }
    }

    #[test]
    fn long_texts_stay_apart_and_end_at_a_whole_letter() {
        let (one, two) = (plain_name(&"가".repeat(300)), plain_name(&"가".repeat(301)));
        assert!(one.len() <= LONGEST && two.len() <= LONGEST && one != two, "{one}");
        assert!(is_plain_name(&one), "{one}");
    }

    proptest! {
        #[test]
        fn different_texts_have_different_names(one in "[a-c./%=+ 가-다-]{0,8}", two in "[a-c./%=+ 가-다-]{0,8}") {
            prop_assert_eq!(one == two, plain_name(&one) == plain_name(&two));
            prop_assert_eq!(one == two, plain_name_of_encoded(&one) == plain_name_of_encoded(&two));
            prop_assert!(is_plain_name(&plain_name(&one)) && !plain_name(&one).contains(['%', '/']));
        }
    }
}
