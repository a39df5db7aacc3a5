//! Blanked code as tokens: names and single signs, each with its line.

/// A name or one sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'t> {
    pub text: &'t str,
    /// From 1.
    pub line: u32,
    /// Bytes before it on its line.
    pub column: u32,
}

impl Token<'_> {
    pub fn is_name(&self) -> bool {
        self.text.starts_with(|first: char| first.is_alphabetic() || first == '_' || first == '$')
    }

    pub fn is(&self, text: &str) -> bool {
        self.text == text
    }
}

/// All tokens.
pub fn tokens(blanked: &str) -> Vec<Token<'_>> {
    let bytes = blanked.as_bytes();
    let mut found = Vec::with_capacity(blanked.len() / 8);
    let (mut line, mut line_start, mut at) = (1_u32, 0_usize, 0_usize);
    while let Some(&byte) = bytes.get(at) {
        if byte == b'\n' {
            line += 1;
            line_start = at + 1;
        }
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let start = at;
        at += 1;
        if is_part(byte) {
            while bytes.get(at).is_some_and(|byte| is_part(*byte)) {
                at += 1;
            }
        }
        if let Some(text) = blanked.get(start..at) {
            let column = u32::try_from(start - line_start).unwrap_or(u32::MAX);
            found.push(Token { text, line, column });
        }
    }
    found
}

/// A part of a name; bytes beyond ASCII are letters of some language.
fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// The number of a name, the same on every machine.
pub fn number_of(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
