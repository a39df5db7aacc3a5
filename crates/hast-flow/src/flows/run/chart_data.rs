//! Finds numbers in a data file and decides how to draw them: CSV, JSON, or a Markdown table. Total:
//! a file without numbers is no chart, and never an error.

use serde_json::Value;

use crate::tools::args::{ChartArgs, ChartKind, Place, Point, Series};

/// More series than this cannot be told apart.
const MOST_SERIES: usize = 8;
const MOST_POINTS: usize = 2_000;

/// Rows of cells under a header.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Grid {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// The chart that a file asks for; none if it has no numbers.
pub fn chart(path: &str, bytes: &[u8], title: &str) -> Option<ChartArgs> {
    let text = std::str::from_utf8(bytes).ok()?;
    let ending = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let grid = match ending.as_str() {
        "csv" => separated(text, ','),
        "tsv" => separated(text, '\t'),
        "json" => from_json(text),
        _ => from_markdown(text).or_else(|| separated(text, ',')),
    }?;
    draw(&grid, path, title)
}

fn draw(grid: &Grid, path: &str, title: &str) -> Option<ChartArgs> {
    let columns: Vec<Vec<&str>> = (0..grid.header.len())
        .map(|column| {
            grid.rows.iter().map(|row| row.get(column).map_or("", String::as_str)).collect()
        })
        .collect();
    let numeric = |column: &Vec<&str>| {
        let filled: Vec<&&str> = column.iter().filter(|cell| !cell.is_empty()).collect();
        !filled.is_empty() && filled.iter().all(|cell| number(cell).is_some())
    };
    let numbers: Vec<usize> = (0..columns.len()).filter(|at| numeric(&columns[*at])).collect();
    // Names or days stand on the axis; without any, the first column of numbers does.
    let across = (0..columns.len()).find(|at| !numbers.contains(at)).or(match numbers.len() {
        0 | 1 => None,
        _ => numbers.first().copied(),
    });
    let up: Vec<usize> =
        numbers.iter().copied().filter(|at| Some(*at) != across).take(MOST_SERIES).collect();
    if up.is_empty() || grid.rows.is_empty() {
        return None;
    }
    let place = |row: usize| match across {
        Some(at) => match number(columns[at][row]).filter(|_| numbers.contains(&at)) {
            Some(number) => Place::Number(number),
            None => Place::Text(columns[at][row].to_owned()),
        },
        None => Place::Text((row + 1).to_string()),
    };
    let series = up.iter().map(|at| Series {
        name: named(&grid.header[*at]),
        points: (0..grid.rows.len().min(MOST_POINTS))
            .map(|row| Point { x: place(row), y: number(columns[*at][row]) })
            .collect(),
    });
    let kind = kind(across.map(|at| &columns[at]), across.is_some_and(|at| numbers.contains(&at)));
    Some(ChartArgs {
        title: named(title),
        kind,
        x_axis: None,
        x_label: across.map(|at| named(&grid.header[at])),
        y_label: (up.len() == 1).then(|| named(&grid.header[up[0]])),
        description: None,
        source: Some(path.to_owned()),
        series: series.collect(),
    })
}

/// Days and growing numbers are a line, other numbers a cloud, names are bars.
fn kind(across: Option<&Vec<&str>>, is_number: bool) -> ChartKind {
    let Some(cells) = across else { return ChartKind::Bar };
    if is_number {
        let values: Vec<f64> = cells.iter().filter_map(|cell| number(cell)).collect();
        return if values.is_sorted() { ChartKind::Line } else { ChartKind::Scatter };
    }
    let days = cells.iter().all(|cell| is_day(cell));
    if days && cells.len() > 2 { ChartKind::Line } else { ChartKind::Bar }
}

/// `2024-01-15` or `2024-01`.
fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let digits =
        |part: &&str, count: usize| part.len() == count && part.bytes().all(|b| b.is_ascii_digit());
    match parts.as_slice() {
        [year, month] => digits(year, 4) && digits(month, 2),
        [year, month, day] => digits(year, 4) && digits(month, 2) && digits(day, 2),
        _ => false,
    }
}

/// A number as people write it: `1,234.5`, `12%`, `$3.20`.
fn number(text: &str) -> Option<f64> {
    let text = text.trim().trim_start_matches(['$', '€', '₩', '+']).trim_end_matches('%').trim();
    let plain: String = text.chars().filter(|c| *c != ',').collect();
    let starts = plain.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.');
    plain.parse().ok().filter(|value: &f64| value.is_finite() && starts)
}

fn named(text: &str) -> String {
    if text.trim().is_empty() { "-".to_owned() } else { text.trim().to_owned() }
}

/// Cells between separators; quotes hold separators and line breaks.
fn separated(text: &str, separator: char) -> Option<Grid> {
    let mut rows: Vec<Vec<String>> = vec![vec![String::new()]];
    let mut quoted = false;
    let mut rest = text.trim_start_matches('\u{feff}').chars().peekable();
    while let Some(c) = rest.next() {
        let row = rows.last_mut()?;
        match c {
            '"' if quoted && rest.peek() == Some(&'"') => {
                rest.next();
                row.last_mut()?.push('"');
            }
            '"' => quoted = !quoted,
            '\n' if !quoted => rows.push(vec![String::new()]),
            '\r' if !quoted => {}
            c if c == separator && !quoted => row.push(String::new()),
            c => row.last_mut()?.push(c),
        }
    }
    rows.retain(|row| row.iter().any(|cell| !cell.trim().is_empty()));
    grid(rows)
}

/// A list of objects, or a map of names to numbers.
fn from_json(text: &str) -> Option<Grid> {
    let value: Value = serde_json::from_str(text).ok()?;
    let cell = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let list = match &value {
        Value::Array(list) => list.clone(),
        Value::Object(map) => match map.values().find(|value| value.is_array()) {
            Some(Value::Array(list)) => list.clone(),
            _ => {
                let rows = map.iter().map(|(key, value)| vec![key.clone(), cell(value)]);
                return Some(Grid {
                    header: vec!["name".to_owned(), "value".to_owned()],
                    rows: rows.collect(),
                });
            }
        },
        _ => return None,
    };
    let first = list.first()?.as_object()?;
    let header: Vec<String> = first.keys().cloned().collect();
    let rows = list.iter().map(|one| header.iter().map(|key| cell(&one[key])).collect());
    Some(Grid { rows: rows.collect(), header })
}

/// The first table of a text.
fn from_markdown(text: &str) -> Option<Grid> {
    let split = |line: &str| -> Vec<String> {
        let line = line.trim().trim_start_matches('|').trim_end_matches('|');
        line.split('|').map(|cell| cell.trim().trim_matches('*').to_owned()).collect()
    };
    let is_rule = |line: &str| {
        line.contains('-')
            && line.contains('|')
            && line.trim().chars().all(|c| "|:- \t".contains(c))
    };
    let lines: Vec<&str> = text.lines().collect();
    let rule = (1..lines.len()).find(|at| is_rule(lines[*at]) && lines[*at - 1].contains('|'))?;
    let body = lines[rule + 1..].iter().take_while(|line| line.contains('|'));
    let rows = std::iter::once(&lines[rule - 1]).chain(body).map(|line| split(line)).collect();
    grid(rows)
}

fn grid(mut rows: Vec<Vec<String>>) -> Option<Grid> {
    if rows.len() < 2 {
        return None;
    }
    let header = rows.remove(0);
    let rows = rows.into_iter().map(|row| row.iter().map(|cell| cell.trim().to_owned()).collect());
    Some(Grid { rows: rows.collect(), header })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str, text: &str) -> Option<(ChartKind, Vec<(String, usize)>)> {
        let chart = chart(path, text.as_bytes(), "t")?;
        let series = chart.series.iter().map(|one| (one.name.clone(), one.points.len()));
        Some((chart.kind, series.collect()))
    }

    #[test]
    fn names_are_bars_days_are_a_line_and_loose_numbers_a_cloud() {
        let sold = |n: usize| vec![("sold".to_owned(), n)];
        assert_eq!(
            of("a.csv", "shop,sold\nA,1\n\"B, b\",\"2,000\"\n"),
            Some((ChartKind::Bar, sold(2)))
        );
        let days = "day,sold\n2024-01-01,1\n2024-01-02,2\n2024-01-03,\n";
        assert_eq!(of("a.csv", days), Some((ChartKind::Line, sold(3))));
        assert_eq!(of("a.tsv", "x\tsold\n3\t1\n1\t2\n"), Some((ChartKind::Scatter, sold(2))));
        assert_eq!(of("a.csv", "year,sold\n2020,1\n2021,2\n"), Some((ChartKind::Line, sold(2))));
    }

    #[test]
    fn a_markdown_table_and_json_are_data_too() {
        let table = "# 매출\n\n| 분기 | 매출 | 비용 |\n| :- | -: | -: |\n| 1분기 | 10 | ₩7 |\n| 2분기 | 12% | 8 |\n";
        let both = vec![("매출".to_owned(), 2), ("비용".to_owned(), 2)];
        assert_eq!(of("report.md", table), Some((ChartKind::Bar, both)));
        let json = r#"{"rows": [{"a": "x", "n": 1}, {"a": "y", "n": null}]}"#;
        assert_eq!(of("d.json", json), Some((ChartKind::Bar, vec![("n".to_owned(), 2)])));
        assert_eq!(of("d.json", r#"{"x": 1, "y": 2}"#).unwrap().1[0].1, 2);
    }

    #[test]
    fn what_has_no_numbers_is_no_chart() {
        for (path, text) in [
            ("a.csv", "name,what\na,b\n"),
            ("a.csv", ""),
            ("a.csv", "\"never closed"),
            ("a.md", "| a |\n|---|\n"),
            ("a.md", "text"),
            ("a.json", "[]"),
            ("a.json", "{"),
            ("a.json", "[1, 2]"),
        ] {
            assert_eq!(of(path, text), None, "{text}");
        }
        assert_eq!(chart("a.csv", &[0xff, 0xfe], "t"), None);
    }
}
