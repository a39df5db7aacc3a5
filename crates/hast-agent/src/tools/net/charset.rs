//! Bytes of a page into text, in whatever encoding it says or seems to have.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// How far into a page its own word about its encoding is looked for.
const SNIFFED: usize = 2048;

/// The text: a byte-order mark counts most, then the header, then the page, then its bytes.
pub fn decode(body: &[u8], media: &str) -> String {
    let encoding = Encoding::for_bom(body)
        .map(|(encoding, _)| encoding)
        .or_else(|| label_in(media))
        .or_else(|| label_in(&String::from_utf8_lossy(&body[..body.len().min(SNIFFED)])))
        .unwrap_or_else(|| guessed(body));
    let (text, _, _) = encoding.decode(body);
    text.into_owned()
}

/// `charset=euc-kr`, as headers and `meta` elements have it; an XML declaration says `encoding=`.
fn label_in(text: &str) -> Option<&'static Encoding> {
    let lower = text.to_ascii_lowercase();
    ["charset", "encoding"].iter().find_map(|word| {
        lower.match_indices(word).find_map(|(at, _)| {
            let rest = lower.get(at + word.len()..)?.trim_start().strip_prefix('=')?;
            let rest = rest.trim_start().trim_start_matches(['"', '\'']);
            let end = rest.find(['"', '\'', ' ', ';', '>', '/', '?']).unwrap_or(rest.len());
            Encoding::for_label(rest.get(..end)?.as_bytes())
        })
    })
}

fn guessed(body: &[u8]) -> &'static Encoding {
    if std::str::from_utf8(body).is_ok() { UTF_8 } else { WINDOWS_1252 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::EUC_KR;

    fn euc_kr(text: &str) -> Vec<u8> {
        EUC_KR.encode(text).0.into_owned()
    }

    #[test]
    fn a_korean_page_is_read_in_the_encoding_of_its_header_or_of_itself() {
        let page = "<meta charset='euc-kr'><p>매출이 늘었다</p>";
        assert_eq!(decode(&euc_kr(page), "text/html"), page);
        let old = "<meta http-equiv=Content-Type content=\"text/html; charset=ks_c_5601-1987\">가";
        assert_eq!(decode(&euc_kr(old), "text/html"), old);
        assert_eq!(decode(&euc_kr("똠방각하"), "text/html; charset=EUC-KR"), "똠방각하");
    }

    #[test]
    fn without_a_word_about_it_utf_8_is_tried_first() {
        assert_eq!(decode("한글".as_bytes(), "text/plain"), "한글");
        assert_eq!(decode(b"caf\xe9", "text/plain"), "café");
        assert_eq!(decode(b"\xff\xfeh\0i\0", "text/html; charset=utf-8"), "hi");
        assert_eq!(decode("가".as_bytes(), "text/html; charset=nonsense"), "가");
    }
}
