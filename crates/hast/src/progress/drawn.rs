//! The lines that stand on a terminal, and the bytes that replace them by other lines. Each line is
//! written over: no line scrolls away and no old line stays behind. The code is pure.

use unicode_width::UnicodeWidthChar;

use super::board::plain;

/// The lines that were drawn last, and how large the screen was then.
#[derive(Clone, Debug, Default)]
pub(super) struct Drawn {
    lines: Vec<String>,
    size: (usize, usize),
    /// Lines that a smaller screen has pushed away, the oldest first; a larger one brings them back.
    pushed: Vec<String>,
    /// The beginning of a line of which only the end was written over.
    torn: String,
}

/// Clears the rest of a line, and everything from here on.
const REST_OF_LINE: &str = "\u{1b}[K";
const REST_OF_SCREEN: &str = "\u{1b}[J";

/// On a screen below this, terminals differ in what they push away: it is left where it is, for a line too
/// many is better than one of somebody else's too few.
const NARROW: usize = 40;
const LOW: usize = 4;

impl Drawn {
    /// Draws other lines in the place of those that stand there, below what is to stay. Never clears
    /// from the first line on: terminals keep a copy of what is cleared so.
    pub(super) fn again(
        &mut self,
        said: Option<&str>,
        lines: &[String],
        size: (usize, usize),
    ) -> String {
        let up = self.up(size);
        let mut text = "\r".to_owned();
        if up > 0 {
            text += &format!("\u{1b}[{up}A");
        }
        for line in
            said.iter().flat_map(|said| said.split('\n')).chain(lines.iter().map(String::as_str))
        {
            text += line;
            text += REST_OF_LINE;
            text.push('\n');
        }
        text += if lines.is_empty() { REST_OF_LINE } else { REST_OF_SCREEN };
        if said.is_some() {
            // They are above what was said now, and so out of reach.
            self.pushed.clear();
            self.torn.clear();
        }
        (self.lines, self.size) = (lines.iter().map(|line| plain(line)).collect(), size);
        text
    }

    /// How far above the cursor the first line is. A terminal whose size has changed has laid out anew
    /// what stands there, and what it had pushed away; it goes no further up than to its first line.
    fn up(&mut self, size: (usize, usize)) -> usize {
        let mut lines = std::mem::take(&mut self.lines);
        if size == self.size {
            return lines.len();
        }
        let ((width, height), torn) = (size, std::mem::take(&mut self.torn));
        let mut all = std::mem::take(&mut self.pushed);
        match lines.first_mut() {
            // For the terminal it is still one line.
            Some(first) if width != self.size.0 => first.insert_str(0, &torn),
            _ if torn.is_empty() => {}
            _ => all.push(torn),
        }
        all.append(&mut lines);
        let most = height.saturating_sub(1);
        let up: usize = all.iter().map(|line| rows(line, width).len()).sum();
        let mut over = up.saturating_sub(most);
        for line in all {
            let rows = rows(&line, width);
            match rows.get(over) {
                _ if over == 0 => break,
                None => {
                    over -= rows.len();
                    self.pushed.push(line);
                }
                Some(_) => {
                    self.torn = rows[..over].concat();
                    break;
                }
            }
        }
        if width < NARROW || height < LOW {
            self.pushed.clear();
            self.torn.clear();
        }
        up.min(most)
    }
}

/// A text as it is laid out on a screen of that width.
fn rows(text: &str, width: usize) -> Vec<&str> {
    let (mut rows, mut begin, mut used) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        let wide = c.width().unwrap_or(0);
        if used + wide > width && used > 0 {
            rows.push(&text[begin..at]);
            (begin, used) = (at, 0);
        }
        used += wide;
    }
    rows.push(&text[begin..]);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A terminal that keeps what leaves the screen, lays everything out anew when its size changes, and
    /// then shows the end of it.
    struct Terminal {
        size: (usize, usize),
        /// All lines, also those above the screen, and whether the next one continues it.
        rows: Vec<(String, bool)>,
        at: usize,
        /// What was written on the line of the cursor.
        line: String,
    }

    impl Terminal {
        fn new(size: (usize, usize)) -> Self {
            Self { size, rows: vec![Default::default()], at: 0, line: String::new() }
        }

        fn top(&self) -> usize {
            self.rows.len().saturating_sub(self.size.1)
        }

        fn takes(&mut self, text: &str) {
            let mut rest = text;
            while let Some(c) = rest.chars().next() {
                rest = &rest[c.len_utf8()..];
                match c {
                    '\r' => self.line.clear(),
                    '\n' => self.down(),
                    '\u{1b}' => {
                        let end = rest.find(|c: char| c.is_ascii_alphabetic()).unwrap();
                        self.obeys(&rest[1..end], &rest[end..=end]);
                        rest = &rest[end + 1..];
                    }
                    c => {
                        self.line.push(c);
                        assert_eq!(rows(&self.line, self.size.0).len(), 1, "{}", self.line);
                        let old: String =
                            self.rows[self.at].0.chars().skip(self.line.chars().count()).collect();
                        self.rows[self.at].0 = self.line.clone() + &old;
                    }
                }
            }
        }

        fn obeys(&mut self, code: &str, command: &str) {
            match command {
                "A" => self.at = self.at.saturating_sub(code.parse().unwrap()).max(self.top()),
                "K" => self.rows[self.at].0.clone_from(&self.line),
                "J" => {
                    assert!(self.at > self.top() || !self.line.is_empty(), "a copy is kept");
                    self.rows.truncate(self.at + 1);
                    self.rows[self.at] = (self.line.clone(), false);
                }
                _ => {}
            }
        }

        fn down(&mut self) {
            self.rows[self.at].1 = false;
            self.at += 1;
            self.line.clear();
            if self.at == self.rows.len() {
                self.rows.push(Default::default());
            }
        }

        fn becomes(&mut self, size: (usize, usize)) {
            self.size = size;
            let (mut all, mut line) = (Vec::new(), String::new());
            for (text, goes_on) in std::mem::take(&mut self.rows) {
                line += &text;
                if !goes_on {
                    let rows = rows(&line, size.0);
                    let last = rows.len() - 1;
                    all.extend(
                        rows.iter().enumerate().map(|(n, row)| ((*row).to_owned(), n < last)),
                    );
                    line.clear();
                }
            }
            (self.at, self.rows) = (all.len() - 1, all);
        }

        fn all(&self) -> Vec<&str> {
            self.rows.iter().map(|row| row.0.as_str()).filter(|line| !line.is_empty()).collect()
        }
    }

    fn board(rows: usize, height: usize, tick: usize) -> Vec<String> {
        let heading = format!("heading {tick}");
        let rows = (0..rows).map(|n| format!(" ✓ row {n}"));
        std::iter::once(heading).chain(rows).take(height - 1).collect()
    }

    #[test]
    fn however_often_it_is_drawn_there_is_one_board_below_what_was_said() {
        for (height, rows) in [(3, 1), (4, 2), (12, 30), (24, 6)] {
            let (size, mut drawn) = ((40, height), Drawn::default());
            let mut terminal = Terminal::new(size);
            for tick in 0..20 {
                let said = (tick % 7 == 3).then(|| format!("said {tick}"));
                terminal.takes(&drawn.again(said.as_deref(), &board(rows, height, tick), size));
            }
            let mut wanted = vec!["said 3", "said 10", "said 17", "heading 19"];
            let own = terminal.all();
            assert_eq!(own[..4], wanted, "{height}: {own:?}");
            wanted.truncate(3);
            assert_eq!(own.len(), 3 + board(rows, height, 0).len(), "{height}: {own:?}");
        }
    }

    #[test]
    fn a_board_that_gets_smaller_leaves_nothing_below_it() {
        let (size, mut drawn) = ((40, 24), Drawn::default());
        let mut terminal = Terminal::new(size);
        for (tick, rows) in [9, 9, 3, 5].into_iter().enumerate() {
            terminal.takes(&drawn.again(None, &board(rows, 24, tick), size));
        }
        assert_eq!(terminal.all().len(), 6, "{:?}", terminal.all());
    }

    #[test]
    fn a_window_that_was_small_for_a_while_has_one_board_again() {
        let sizes = [
            (100, 24),
            (60, 8),
            (100, 24),
            (40, 5),
            (100, 24),
            (70, 24),
            (100, 24),
            (45, 4),
            (44, 4),
            (60, 9),
            (100, 9),
            (100, 24),
        ];
        let (mut terminal, mut drawn) = (Terminal::new(sizes[0]), Drawn::default());
        terminal.takes("$ ls\nmine\n$ hast auto\n");
        for (tick, size) in sizes.into_iter().enumerate() {
            terminal.becomes(size);
            for _ in 0..3 {
                let mut lines = board(9, size.1, tick);
                for line in &mut lines {
                    *line = super::super::board::cut(
                        &format!("{line} {}", "한글 글자 ".repeat(9)),
                        size.0 - 1,
                    );
                }
                terminal.takes(&drawn.again(None, &lines, size));
            }
            if size.1 == 24 {
                let own = terminal.all();
                assert_eq!(own[..3], ["$ ls", "mine", "$ hast auto"], "{tick}: {own:#?}");
                assert!(own[3].starts_with(&format!("heading {tick} ")), "{own:#?}");
                assert_eq!(own.len(), 13, "{tick}: {own:#?}");
            }
        }
    }

    #[test]
    fn whatever_the_window_becomes_nothing_of_others_is_written_over() {
        let sizes =
            [(100, 24), (30, 3), (120, 30), (20, 2), (100, 24), (10, 1), (41, 6), (100, 24)];
        let (mut terminal, mut drawn) = (Terminal::new(sizes[0]), Drawn::default());
        terminal.takes("$ ls\nmine\n$ hast auto\n");
        for (tick, size) in sizes.into_iter().enumerate() {
            terminal.becomes(size);
            for _ in 0..3 {
                let lines = board(9, size.1, tick).into_iter().take(size.1 - 1);
                let lines: Vec<String> =
                    lines.map(|line| super::super::board::cut(&line, size.0 - 1)).collect();
                terminal.takes(&drawn.again(None, &lines, size));
            }
        }
        terminal.becomes((100, 60));
        assert_eq!(terminal.all()[..3], ["$ ls", "mine", "$ hast auto"], "{:#?}", terminal.all());
    }

    #[test]
    fn a_narrower_window_has_laid_out_long_lines_on_two() {
        let mut drawn = Drawn::default();
        drawn.again(None, &["heading".to_owned(), "가".repeat(30), "x".repeat(59)], (80, 24));
        let text = drawn.again(None, &["heading".to_owned()], (41, 24));
        // 60 columns of wide letters take two lines of 41, and 59 of narrow ones too.
        assert!(text.starts_with("\r\u{1b}[5A"), "{text:?}");
        assert_eq!(rows(&"가".repeat(3), 3), ["가"; 3], "half a letter is not shown");
        assert_eq!(plain("a \u{1b}[32mb\u{1b}[0m c"), "a b c");
    }
}
