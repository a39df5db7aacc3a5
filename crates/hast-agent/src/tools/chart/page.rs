//! The HTML around a chart, in the colours that its reader prefers.

use hast_flow::tools::args::{ChartArgs, ChartKind};

use super::draw::class;
use super::plot::Plot;
use crate::tools::answer::sha256;

/// Colours and fonts of every chart. The eight colours differ in lightness too.
pub const STYLE: &str = "\
:root{color-scheme:light dark;--paper:#fff;--ink:#1d2433;--soft:#667085;--rule:#e4e7ec;--axis:#98a2b3;\
--c0:#2563eb;--c1:#d97706;--c2:#0d9488;--c3:#c026d3;--c4:#65a30d;--c5:#dc2626;--c6:#6d28d9;--c7:#475569}
@media(prefers-color-scheme:dark){:root{--paper:#14181f;--ink:#e6e9ef;--soft:#9aa4b2;--rule:#2a313c;--axis:#5b6675;\
--c0:#7aa7ff;--c1:#f5b14c;--c2:#4fd1c0;--c3:#e48cf2;--c4:#a9d65c;--c5:#ff8a8a;--c6:#b79bff;--c7:#a8b3c4}}
.chart{margin:0 auto;max-width:960px;font-family:system-ui,\"Noto Sans KR\",\"Noto Sans CJK KR\",\"Apple SD Gothic Neo\",\"Malgun Gothic\",sans-serif;color:var(--ink)}
.chart h1{font-size:1.25rem;line-height:1.35;margin:0 0 .25rem;text-wrap:balance}
.chart .unit{color:var(--soft);font-size:.85rem;margin:0 0 .5rem}
.chart ul{display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;list-style:none;margin:0 0 .6rem;padding:0;font-size:.85rem}
.chart li{display:flex;align-items:center;gap:.4rem}
.chart li svg{width:18px;height:12px;flex:none}
.chart>svg{display:block;width:100%;height:auto;overflow:visible}
.chart text{font-size:12px;fill:var(--soft);font-variant-numeric:tabular-nums}
.chart .x,.chart .name{text-anchor:middle}.chart .y{text-anchor:end}
.chart .grid{stroke:var(--rule)}.chart .zero,.chart .tick{stroke:var(--axis)}
.chart .line{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round;stroke-linecap:round}
.chart .line.again{stroke-dasharray:6 4}
.chart circle,.chart .bar{fill:var(--c)}.chart .dot{fill-opacity:.75}
.chart .bar.again,.chart .dot.again{fill-opacity:.55;stroke:var(--c)}
.chart .hit rect{fill:transparent}.chart .hit line{stroke:var(--axis);stroke-dasharray:3 3;opacity:0}
.chart .hit:hover line{opacity:1}.chart .bar:hover,.chart .dot:hover{opacity:.7}
.chart .c0{--c:var(--c0)}.chart .c1{--c:var(--c1)}.chart .c2{--c:var(--c2)}.chart .c3{--c:var(--c3)}\
.chart .c4{--c:var(--c4)}.chart .c5{--c:var(--c5)}.chart .c6{--c:var(--c6)}.chart .c7{--c:var(--c7)}
.chart figcaption{color:var(--soft);font-size:.8rem;margin-top:.5rem}
";

pub(super) fn page(args: &ChartArgs, figure: &str) -> String {
    let title = escaped(&args.title);
    let language =
        if args.title.chars().any(|c| ('가'..='힣').contains(&c)) { "ko" } else { "en" };
    format!(
        "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>{title}</title>\n<style>\nbody{{margin:0;padding:24px;background:var(--paper)}}\n{STYLE}</style>\n</head>\n<body>\n{figure}</body>\n</html>\n"
    )
}

pub(super) fn figure(args: &ChartArgs, plot: &Plot, svg: &str) -> String {
    let mut out = format!("<figure class=\"chart\">\n<h1>{}</h1>\n", escaped(&args.title));
    if let Some(label) = args.y_label.as_deref().filter(|label| !label.trim().is_empty()) {
        out += &format!("<p class=\"unit\">{}</p>\n", escaped(label));
    }
    if plot.series.len() > 1 {
        out.push_str("<ul>\n");
        for (index, series) in args.series.iter().enumerate() {
            let class = class(index);
            let sample = match args.kind {
                ChartKind::Line => format!("<path class=\"line {class}\" d=\"M0 6H18\"/>"),
                ChartKind::Bar => {
                    format!(
                        "<rect class=\"bar {class}\" x=\"3\" width=\"12\" height=\"12\" rx=\"2\"/>"
                    )
                }
                ChartKind::Scatter => {
                    format!("<circle class=\"dot {class}\" cx=\"9\" cy=\"6\" r=\"5\"/>")
                }
            };
            let name = escaped(&series.name);
            out += &format!(
                "<li><svg viewBox=\"0 0 18 12\" aria-hidden=\"true\">{sample}</svg>{name}</li>\n"
            );
        }
        out.push_str("</ul>\n");
    }
    out.push_str(svg);
    if let Some(source) = args.source.as_deref().filter(|source| !source.trim().is_empty()) {
        out += &format!("<figcaption>{}</figcaption>\n", escaped(source));
    }
    out.push_str("</figure>\n");
    out
}

/// A name that is the same for the same chart, so that several fit one page.
pub(super) fn id(args: &ChartArgs) -> String {
    let text = serde_json::to_string(args).unwrap_or_default();
    format!("c-{}", sha256(text.as_bytes()).get(..8).unwrap_or_default())
}

/// Text for elements and attributes.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' => out.push('\n'),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
