//! When what ran: a bar for each, on one axis of time.

use unicode_width::UnicodeWidthChar;

use super::{Html, Mood, escaped};

/// Seconds since the beginning of what the page is about.
#[derive(Clone, Debug)]
pub struct Span {
    pub name: String,
    pub from: f64,
    pub to: f64,
    pub mood: Mood,
    pub note: String,
}

const WIDTH: f64 = 960.0;
const NAMES: f64 = 260.0;
const ROW: f64 = 26.0;
const BAR: f64 = 14.0;
/// Shorter than this nobody sees.
const LEAST: f64 = 3.0;
/// Room for a name, in columns of a Latin letter.
const NAME_COLUMNS: usize = 34;

pub fn timeline(spans: &[Span]) -> Html {
    let end = spans.iter().map(|span| span.to).fold(0.0_f64, f64::max);
    if spans.is_empty() || !end.is_finite() {
        return Html::default();
    }
    let end = end.max(0.001);
    let scale = (WIDTH - NAMES - 10.0) / end;
    let rows = u32::try_from(spans.len()).unwrap_or(u32::MAX);
    let height = ROW.mul_add(f64::from(rows), 24.0);
    let mut out = format!(
        "<div class=\"wide\"><svg class=\"timeline\" viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\">\n"
    );
    for part in 0..=4_u32 {
        let seconds = end * f64::from(part) / 4.0;
        let x = scale.mul_add(seconds, NAMES);
        let anchor = if part == 4 { " class=\"last\"" } else { "" };
        out += &format!(
            "<line class=\"grid\" x1=\"{x:.1}\" y1=\"0\" x2=\"{x:.1}\" y2=\"{:.0}\"/><text x=\"{x:.1}\" y=\"{:.0}\"{anchor}>{}</text>\n",
            height - 20.0,
            height - 6.0,
            length(seconds)
        );
    }
    let mut y = 0.0;
    for span in spans {
        let x = scale.mul_add(span.from.clamp(0.0, end), NAMES);
        let width = (scale * (span.to - span.from).max(0.0)).max(LEAST);
        let name = escaped(&short(&span.name));
        let whole = escaped(&format!("{} {}", span.name, span.note));
        out += &format!(
            "<g><title>{whole}</title><text x=\"0\" y=\"{:.1}\">{name}</text><rect class=\"{}\" x=\"{x:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{BAR}\" rx=\"3\"/></g>\n",
            y + 15.0,
            span.mood.class(),
            y + 4.0
        );
        y += ROW;
    }
    Html(out + "</svg></div>\n")
}

/// As much of a name as there is room for.
fn short(name: &str) -> String {
    let mut columns = 0;
    let fits = |c: &char| {
        columns += c.width().unwrap_or(0);
        columns <= NAME_COLUMNS
    };
    let kept: String = name.chars().take_while(fits).collect();
    if kept.len() == name.len() { kept } else { kept + "…" }
}

fn length(seconds: f64) -> String {
    if seconds < 10.0 {
        format!("{seconds:.1}s")
    } else if seconds < 120.0 {
        format!("{seconds:.0}s")
    } else if seconds < 7200.0 {
        format!("{:.0}m", seconds / 60.0)
    } else {
        format!("{:.1}h", seconds / 3600.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Mood, Span, length, timeline};

    #[test]
    fn every_span_has_a_bar_that_can_be_seen() {
        let span =
            |from, to| Span { name: "T".into(), from, to, mood: Mood::Good, note: String::new() };
        let html = timeline(&[span(0.0, 100.0), span(50.0, 50.0), span(80.0, 20.0)]).0;
        assert_eq!(html.matches("<rect").count(), 3);
        assert!(!html.contains("width=\"0") && !html.contains("NaN") && !html.contains("=\"-"));
        assert!(timeline(&[]).is_empty());
    }

    #[test]
    fn lengths_are_short() {
        let told = [0.0, 9.5, 60.0, 600.0, 9000.0].map(length);
        assert_eq!(told, ["0.0s", "9.5s", "60s", "10m", "2.5h"]);
    }
}
