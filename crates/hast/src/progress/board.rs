//! A tree of units and what each is doing, laid out for a given size of the screen. Pure.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// From here on a row has room for what is done and what it cost.
const WIDE: usize = 99;

/// Where the line below a row begins.
const NOTE: usize = 7;

/// Everything that is shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Board {
    pub(crate) title: String,
    pub(crate) rows: Vec<Row>,
    /// What the work on each unit has cost so far, in words, and all of it together.
    pub(crate) costs: BTreeMap<String, String>,
    pub(crate) cost: Option<String>,
    /// How long units were worked on that have ended.
    pub(crate) took: BTreeMap<String, Duration>,
}

/// One unit: a goal, a task, an item of a plan.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub(crate) depth: usize,
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) state: State,
    /// What is known about it beyond its state: attempts, the last event, the reason.
    pub(crate) detail: String,
    /// When it began, on the clock of the board.
    pub(crate) since: Option<Duration>,
    /// Which time it is, where there is no board to look at: a line for each.
    pub(crate) told: String,
    /// A line of its own below one that runs, where there is room.
    pub(crate) note: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum State {
    #[default]
    Waiting,
    Running,
    Done,
    Failed,
    Skipped,
}

/// How states are drawn; a terminal without UTF-8 gets ASCII.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marks {
    Symbols,
    Ascii,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) marks: Marks,
    pub(crate) colour: bool,
}

impl Board {
    pub(crate) fn row(&mut self, id: &str) -> Option<&mut Row> {
        self.rows.iter_mut().find(|row| row.id == id)
    }

    /// Keeps the time of units that ran and do not run any more in the rows that come.
    pub(crate) fn note_ends(&mut self, rows: &[Row], now: Duration) {
        for row in rows.iter().filter(|row| matches!(row.state, State::Done | State::Failed)) {
            let ran = self.row(&row.id).filter(|known| known.state == State::Running);
            if let Some(since) = ran.and_then(|known| known.since) {
                let took = self.took.entry(row.id.clone()).or_default();
                *took += now.saturating_sub(since);
            }
        }
    }

    /// The lines to draw: as many rows as fit, the running ones and what is near them first. The cursor
    /// needs a line too: one more, and the screen would scroll with every look at the clock.
    pub(crate) fn lines(&self, screen: Screen, now: Duration) -> Vec<String> {
        let Some(room) = screen.height.checked_sub(2) else { return Vec::new() };
        let all_fit = self.rows.len() <= room;
        // Where there is room for one line, it is a row's.
        let shown = self.shown(if all_fit || room < 2 { room } else { room - 1 });
        // A terminal that is as wide as a line may already be on the next one.
        let screen = Screen { width: screen.width.saturating_sub(1).max(1), ..screen };
        let widest = |text: fn(&Row) -> usize| {
            shown.iter().filter_map(|&index| self.rows.get(index)).map(text).max().unwrap_or(0)
        };
        let ids = widest(|row| row.depth * 2 + row.id.width()).min(screen.width / 3);
        let titles = widest(|row| row.title.width()).min(screen.width / 3);
        let mut lines = vec![cut(&self.heading(now), screen.width)];
        let mut spare = if all_fit { room - shown.len() } else { 0 };
        for &index in &shown {
            if let Some(row) = self.rows.get(index) {
                let cost = self.costs.get(&row.id).map(String::as_str);
                lines.push(line(row, (self.time(row, now), cost), (ids, titles), screen));
                if row.state == State::Running && !row.note.is_empty() && spare > 0 {
                    spare -= 1;
                    lines.push(cut(&format!("{:NOTE$}{}", "", row.note), screen.width));
                }
            }
        }
        let hidden = self.rows.len() - shown.len();
        if hidden > 0 && lines.len() <= room {
            lines.push(cut(&format!("  … +{hidden}"), screen.width));
        }
        lines
    }

    fn time(&self, row: &Row, now: Duration) -> Option<Duration> {
        match row.state {
            State::Running => row.since.map(|since| now.saturating_sub(since)),
            State::Done | State::Failed => self.took.get(&row.id).copied(),
            State::Waiting | State::Skipped => None,
        }
    }

    /// Counted is what has nothing below it: a group is done when its parts are.
    fn heading(&self, now: Duration) -> String {
        let next = self.rows.iter().skip(1).map(|row| row.depth).chain([0]);
        let leaves = self.rows.iter().zip(next).filter(|(row, next)| *next <= row.depth);
        let all = leaves.clone().count();
        let done = leaves.filter(|(row, _)| row.state == State::Done).count();
        let cost = self.cost.iter().map(|cost| format!(" · {cost}")).collect::<String>();
        format!("{} · {done}/{all} · {}{cost}", self.title, elapsed(now))
    }

    /// Indices of the rows to show, in their order.
    fn shown(&self, room: usize) -> Vec<usize> {
        if self.rows.len() <= room {
            return (0..self.rows.len()).collect();
        }
        let mut wanted: Vec<usize> = self.indices(State::Running);
        let first =
            wanted.first().copied().or_else(|| self.indices(State::Waiting).first().copied());
        let centre = first.unwrap_or(self.rows.len() - 1);
        // What just ended and what comes next are the rows that a reader looks for.
        let mut near: Vec<usize> = (0..self.rows.len()).collect();
        near.sort_by_key(|&index| (index.abs_diff(centre), index));
        wanted.extend(near);
        let mut chosen: Vec<usize> = Vec::new();
        for index in wanted {
            if chosen.len() < room && !chosen.contains(&index) {
                chosen.push(index);
            }
        }
        chosen.sort_unstable();
        chosen
    }

    fn indices(&self, state: State) -> Vec<usize> {
        let rows = self.rows.iter().enumerate().filter(|(_, row)| row.state == state);
        rows.map(|(index, _)| index).collect()
    }
}

fn line(
    row: &Row,
    (time, cost): (Option<Duration>, Option<&str>),
    (ids, titles): (usize, usize),
    screen: Screen,
) -> String {
    let time = time.map(elapsed);
    let parts = [time.as_deref(), Some(row.detail.as_str())];
    let parts = parts.into_iter().flatten().filter(|part| !part.is_empty());
    let doing = parts.collect::<Vec<_>>().join(" · ");
    let (mark, colour) = mark(row.state, screen.marks);
    let id = format!("{}{}", "  ".repeat(row.depth), row.id);
    let width = screen.width.saturating_sub(mark.width() + 3);
    let beside = doing.width() + cost.map_or(0, |cost| cost.width() + 3) + 2;
    // What an agent says grows and shrinks: the title beside it keeps its place.
    let titles = match row.state {
        State::Running => titles,
        _ => titles.max(row.title.width().min(width.saturating_sub(ids + 2 + beside))),
    };
    let named = format!("{}  {}  ", fit(&id, ids), fit(&row.title, titles));
    let room = width.saturating_sub(named.width());
    let plain = named + &with_cost(doing, cost, room, screen.width);
    let text = cut(plain.trim_end(), width);
    if screen.colour {
        format!(" \u{1b}[{colour}m{mark}\u{1b}[0m {text}")
    } else {
        format!(" {mark} {text}")
    }
}

/// What is done comes first: of a small screen's row it has all, and the cost is in the heading.
fn with_cost(doing: String, cost: Option<&str>, room: usize, screen: usize) -> String {
    let Some(cost) = cost else { return doing };
    if doing.is_empty() {
        return cost.to_owned();
    }
    let left = room.saturating_sub(cost.width() + 3);
    if doing.width() > left && screen < WIDE {
        return doing;
    }
    format!("{} · {cost}", cut(&doing, left))
}

fn mark(state: State, marks: Marks) -> (&'static str, u8) {
    match (state, marks) {
        (State::Waiting, Marks::Symbols) => ("○", 2),
        (State::Running, Marks::Symbols) => ("●", 36),
        (State::Done, Marks::Symbols) => ("✓", 32),
        (State::Failed, Marks::Symbols) => ("✗", 31),
        (State::Skipped, Marks::Symbols) => ("–", 2),
        (State::Waiting, Marks::Ascii) => ("[ ]", 2),
        (State::Running, Marks::Ascii) => ("[>]", 36),
        (State::Done, Marks::Ascii) => ("[x]", 32),
        (State::Failed, Marks::Ascii) => ("[!]", 31),
        (State::Skipped, Marks::Ascii) => ("[-]", 2),
    }
}

/// `42s`, `3m 05s`, `2h 07m`.
pub(crate) fn elapsed(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds}s"),
        (0, minutes, seconds) => format!("{minutes}m {seconds:02}s"),
        (hours, minutes, _) => format!("{hours}h {minutes:02}m"),
    }
}

/// `950`, `12.3k`, `4.5M`.
pub(crate) fn tokens(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{}.{}k", count / 1_000, count % 1_000 / 100),
        _ => format!("{}.{}M", count / 1_000_000, count % 1_000_000 / 100_000),
    }
}

/// A line in pieces that fit, broken between words; what follows stands under its first words. A line of a
/// file that is quoted beside its number stays as it is.
pub(crate) fn folded(line: &str, width: usize) -> String {
    let plain = plain(line);
    let is_quoted = plain.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit());
    if plain.width() <= width || is_quoted.starts_with('|') {
        return line.to_owned();
    }
    let indent = " ".repeat(hanging(&plain, width));
    let options = textwrap::Options::new(width.max(20)).subsequent_indent(&indent);
    let whole_words = textwrap::WordSplitter::NoHyphenation;
    textwrap::fill(line, options.break_words(false).word_splitter(whole_words))
}

/// A line without its colours.
pub(super) fn plain(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        text += before;
        rest = after.split_once('m').map_or("", |(_, after)| after);
    }
    text + rest
}

/// Where the words of a line begin: after its indent, its mark, its name (`= next: `), or its first column.
fn hanging(line: &str, width: usize) -> usize {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let rest = &line[indent..];
    let column = rest.find("  ").map(|at| at + rest[at..].len() - rest[at..].trim_start().len());
    let mark = ["- ", "+ ", "* "].iter().find(|mark| rest.starts_with(**mark)).map(|_| 2);
    let name = rest.strip_prefix("= ").and_then(|name| name.find(": ")).map(|at| at + 4);
    let own = name.or(mark).or(column).map(|end| indent + rest[..end].width());
    own.filter(|own| *own <= width / 2).unwrap_or(indent)
}

/// Text of exactly this width.
fn fit(text: &str, width: usize) -> String {
    let mut text = cut(text, width);
    let missing = width.saturating_sub(text.width());
    let _ = write!(text, "{:missing$}", "");
    text
}

/// Text of at most this width, on one line, without anything that a terminal would obey.
pub(crate) fn cut(text: &str, width: usize) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if clean.width() <= width {
        return clean;
    }
    let mut short = String::new();
    let mut used = 1;
    for c in clean.chars() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        short.push(c);
    }
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, state: State) -> Row {
        Row { depth: 1, id: id.to_owned(), title: format!("목표 {id}"), state, ..Row::default() }
    }

    fn screen(width: usize, height: usize) -> Screen {
        Screen { width, height, marks: Marks::Symbols, colour: false }
    }

    #[test]
    fn a_small_board_shows_every_unit_and_how_far_it_is() {
        let mut board = Board { title: "hast auto".to_owned(), ..Board::default() };
        board.rows =
            vec![row("M1", State::Done), row("M2", State::Running), row("M3", State::Waiting)];
        board.rows[1].since = Some(Duration::from_secs(10));
        board.rows[1].detail = "attempt 2".to_owned();
        board.costs.insert("M2".to_owned(), "1.5k tokens · $0.02".to_owned());
        board.cost = Some("3.0k tokens · $0.05".to_owned());
        let lines = board.lines(screen(80, 24), Duration::from_secs(75));
        assert_eq!(
            lines,
            [
                "hast auto · 1/3 · 1m 15s · 3.0k tokens · $0.05",
                " ✓   M1  목표 M1",
                " ●   M2  목표 M2  1m 05s · attempt 2 · 1.5k tokens · $0.02",
                " ○   M3  목표 M3",
            ]
        );
    }

    #[test]
    fn a_row_has_room_for_the_last_event_before_the_cost() {
        let mut board = Board { rows: vec![row("M1", State::Running)], ..Board::default() };
        board.rows[0].title = "Reject empty passwords at the sign-in page".to_owned();
        board.rows[0].detail = "attempt 1 · Reading the report of the tests now".to_owned();
        board.rows[0].since = Some(Duration::ZERO);
        board.costs.insert("M1".to_owned(), "1.2k tokens · $0.01".to_owned());
        let at = |width| board.lines(screen(width, 24), Duration::from_secs(1)).swap_remove(1);
        assert!(at(80).ends_with("…  1s · attempt 1 · Reading the report of t…"), "{}", at(80));
        assert!(at(60).contains("…  1s · attempt 1 · Readin"), "{}", at(60));
        assert!(at(100).ends_with("Reading the re… · 1.2k tokens · $0.01"), "{}", at(100));
        let wide = "1s · attempt 1 · Reading the report of the tests now · 1.2k tokens · $0.01";
        assert!(at(160).ends_with(wide), "{}", at(160));
    }

    #[test]
    fn a_title_has_the_width_that_nothing_else_needs() {
        let mut board = Board { rows: vec![row("M1", State::Waiting)], ..Board::default() };
        board.rows.push(row("M2", State::Done));
        board.took.insert("M2".to_owned(), Duration::from_secs(65));
        for row in &mut board.rows {
            row.title = "Reject empty passwords at the sign-in page, with a message".to_owned();
        }
        let lines = board.lines(screen(80, 24), Duration::ZERO);
        assert_eq!(lines[1], " ○   M1  Reject empty passwords at the sign-in page, with a message");
        assert!(lines[2].ends_with("at the sign-in page, with a message  1m 05s"), "{}", lines[2]);
    }

    #[test]
    fn a_unit_that_ended_keeps_its_time_and_one_that_runs_has_a_line_about_before() {
        let mut board = Board { rows: vec![row("M1", State::Running)], ..Board::default() };
        board.rows[0].since = Some(Duration::from_secs(10));
        board.rows[0].note = "before: the tests failed".to_owned();
        let lines = board.lines(screen(80, 24), Duration::from_secs(11));
        assert_eq!(lines[2], "       before: the tests failed");
        assert_eq!(board.lines(screen(80, 3), Duration::from_secs(11)).len(), 2, "no room for it");
        let rows = vec![row("M1", State::Done)];
        board.note_ends(&rows, Duration::from_secs(75));
        board.rows = rows;
        let lines = board.lines(screen(80, 24), Duration::from_secs(500));
        assert_eq!(lines[1..], [" ✓   M1  목표 M1  1m 05s"]);
    }

    #[test]
    fn a_group_is_not_counted_beside_its_parts() {
        let mut board = Board { rows: vec![row("R1", State::Running)], ..Board::default() };
        board.rows.extend([row("T1", State::Done), row("T2", State::Waiting)]);
        board.rows[0].depth = 0;
        assert!(board.heading(Duration::ZERO).contains("1/2"), "{}", board.heading(Duration::ZERO));
    }

    #[test]
    fn a_long_line_is_broken_between_words_under_its_indent() {
        let line = "  T1-S1: the tests are written and red: 이제 이것이 계약입니다";
        let text = folded(line, 30);
        assert!(text.lines().all(|line| line.width() <= 30 && line.starts_with("  ")), "{text}");
        assert_eq!(
            text.split_whitespace().collect::<Vec<_>>(),
            line.split_whitespace().collect::<Vec<_>>()
        );
        assert_eq!(folded(line, 200), line);
    }

    #[test]
    fn what_follows_stands_under_the_first_words_and_no_flag_is_cut() {
        let next = "  = next: hast retry G1 --continue --fewer-tests";
        assert_eq!(
            folded(next, 33),
            "  = next: hast retry G1\n          --continue\n          --fewer-tests"
        );
        let coloured =
            "  \u{1b}[1m=\u{1b}[0m \u{1b}[1m다음\u{1b}[0m: 먼저 hast auto M1을 실행하세요";
        assert_eq!(folded(coloured, 28).lines().nth(1), Some("          M1을 실행하세요"));
        assert_eq!(folded("  - attempt 1: failed · no", 22), "  - attempt 1: failed\n    · no");
        assert_eq!(
            folded("active   G1  one two three", 22),
            "active   G1  one two\n         three"
        );
        let quoted = "12 | title: a line of a file with its number";
        assert_eq!(folded(quoted, 20), quoted);
    }

    #[test]
    fn a_large_board_shows_what_runs_and_what_is_near_it() {
        let rows = (0..1000).map(|n| row(&n.to_string(), State::Waiting)).collect();
        let mut board = Board { rows, ..Board::default() };
        for n in 0..500 {
            board.rows[n].state = State::Done;
        }
        board.rows[500].state = State::Running;
        board.rows[900].state = State::Running;
        let lines = board.lines(screen(80, 12), Duration::ZERO);
        assert_eq!(lines.len(), 11);
        assert!(lines.iter().any(|line| line.contains("목표 900")), "{lines:?}");
        assert!(lines.iter().any(|line| line.contains("목표 499")), "{lines:?}");
        assert_eq!(lines[10], "  … +991");
    }

    #[test]
    fn a_board_leaves_the_cursor_its_line_however_small_the_screen_is() {
        for (rows, height) in (0..8).flat_map(|rows| (1..10).map(move |height| (rows, height))) {
            let mut all: Vec<Row> =
                (0..rows).map(|n| row(&n.to_string(), State::Waiting)).collect();
            if let Some(last) = all.last_mut() {
                last.state = State::Running;
            }
            let board = Board { rows: all, ..Board::default() };
            let lines = board.lines(screen(40, height), Duration::ZERO);
            assert!(lines.len() < height, "{rows} on {height}: {lines:?}");
            let wanted = (rows + 1).min(height - 1);
            assert_eq!(lines.len(), wanted, "{rows} on {height}: {lines:?}");
            let running = lines.iter().any(|line| line.contains('●'));
            assert_eq!(running, rows > 0 && height > 2, "{rows} on {height}: {lines:?}");
        }
    }

    #[test]
    fn no_line_is_wider_than_the_screen_or_obeyed_by_it() {
        let mut board = Board {
            title: "제목".repeat(40),
            rows: vec![row("가나다라마바사", State::Running)],
            ..Board::default()
        };
        board.rows[0].detail = "\u{1b}[2J한글이 아주 길게 이어지는 마지막 사건\n둘째 줄".repeat(5);
        for width in 10..90 {
            for line in board.lines(screen(width, 24), Duration::from_secs(5)) {
                assert!(line.width() < width, "{width}: {line}");
                assert!(!line.contains('\u{1b}') && !line.contains('\n'), "{line:?}");
            }
        }
    }

    #[test]
    fn times_and_tokens_are_short() {
        let times = [0, 59, 60, 3_599, 3_600, 90_000].map(|s| elapsed(Duration::from_secs(s)));
        assert_eq!(times, ["0s", "59s", "1m 00s", "59m 59s", "1h 00m", "25h 00m"]);
        assert_eq!(
            [0, 999, 1_000, 12_345, 4_560_000].map(tokens),
            ["0", "999", "1.0k", "12.3k", "4.5M"]
        );
    }
}
