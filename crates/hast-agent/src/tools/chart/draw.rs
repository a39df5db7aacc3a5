//! The chart itself as SVG. Colours and fonts are classes, so that a page decides about them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use hast_flow::tools::args::{ChartArgs, ChartKind};
use unicode_width::UnicodeWidthStr as _;

use super::page::{escaped, id};
use super::plot::{Across, Dot, Plot, count};
use super::scale::{Tick, exact};

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 480.0;
const TOP: f64 = 12.0;
const RIGHT: f64 = 20.0;
/// One column of text at the size of the labels.
const COLUMN: f64 = 7.2;
pub(super) const COLOURS: usize = 8;
/// Lines with more points than this are drawn without a mark for each.
const MARKED: usize = 60;

/// The area inside the axes.
struct Area {
    left: f64,
    width: f64,
    height: f64,
}

impl Area {
    fn x(&self, place: f64) -> f64 {
        self.left + place * self.width
    }

    fn y(&self, place: f64) -> f64 {
        TOP + (1.0 - place) * self.height
    }
}

pub(super) fn svg(args: &ChartArgs, plot: &Plot) -> String {
    let widest = plot.y.ticks.iter().map(|tick| columns(&tick.label)).fold(0.0, f64::max);
    let left = widest * COLUMN + 18.0;
    let labelled = args.x_label.as_deref().is_some_and(|label| !label.trim().is_empty());
    let bottom = if labelled { 56.0 } else { 34.0 };
    let area = Area { left, width: WIDTH - left - RIGHT, height: HEIGHT - TOP - bottom };
    let name = id(args);
    let mut out = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-labelledby=\"{name}-t {name}-d\" xmlns=\"http://www.w3.org/2000/svg\">\n<title id=\"{name}-t\">{}</title>\n<desc id=\"{name}-d\">{}</desc>\n",
        escaped(&args.title),
        escaped(&described(args, plot)),
    );
    grid(&mut out, plot, &area);
    across(&mut out, plot, &area);
    match args.kind {
        ChartKind::Line => lines(&mut out, args, plot, &area),
        ChartKind::Bar => bars(&mut out, args, plot, &area),
        ChartKind::Scatter => dots(&mut out, args, plot, &area),
    }
    if let Some(label) = args.x_label.as_deref().filter(|label| !label.trim().is_empty()) {
        let (x, y) = (area.x(0.5), HEIGHT - 10.0);
        let _ = writeln!(
            out,
            "<text class=\"name\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>",
            escaped(label)
        );
    }
    out.push_str("</svg>\n");
    out
}

/// Words for people who cannot see the chart: what is given, or the ends of each series.
fn described(args: &ChartArgs, plot: &Plot) -> String {
    if let Some(text) = args.description.as_deref().filter(|text| !text.trim().is_empty()) {
        return text.to_owned();
    }
    let ends = args.series.iter().zip(&plot.series).filter_map(|(series, dots)| {
        let filled = || dots.iter().filter_map(|dot| Some((dot, dot.y?)));
        let ((first, a), (last, b)) = (filled().next()?, filled().next_back()?);
        let (from, to) = (exact(a), exact(b));
        Some(format!("{}: {} = {from}, {} = {to}", series.name, first.label, last.label))
    });
    ends.collect::<Vec<_>>().join("; ")
}

fn grid(out: &mut String, plot: &Plot, area: &Area) {
    let right = area.left + area.width;
    for Tick { at, label } in &plot.y.ticks {
        let y = area.y(plot.y.place(*at));
        let class = if *at == 0.0 { "zero" } else { "grid" };
        let _ = writeln!(
            out,
            "<line class=\"{class}\" x1=\"{:.1}\" x2=\"{right:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>",
            area.left
        );
        let _ = writeln!(
            out,
            "<text class=\"y\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            area.left - 8.0,
            y + 4.0,
            escaped(label)
        );
    }
}

fn across(out: &mut String, plot: &Plot, area: &Area) {
    let ticks: Vec<(f64, String)> = match &plot.x {
        Across::Scale(scale) => {
            scale.ticks.iter().map(|tick| (scale.place(tick.at), tick.label.clone())).collect()
        }
        Across::Bands(names) => {
            let places = names.iter().enumerate();
            places.map(|(index, name)| (plot.x.place(count(index)), shortened(name))).collect()
        }
    };
    let widest = ticks.iter().map(|(_, label)| columns(label)).fold(1.0, f64::max) * COLUMN + 12.0;
    // Only every so many labels have room.
    let room = (area.width / widest).floor().max(1.0);
    let every = (count(ticks.len()) / room).ceil().max(1.0);
    let base = TOP + area.height;
    for (index, (place, label)) in ticks.iter().enumerate() {
        if count(index) % every != 0.0 {
            continue;
        }
        let x = area.x(*place);
        let _ = writeln!(
            out,
            "<line class=\"tick\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{base:.1}\" y2=\"{:.1}\"/>",
            base + 5.0
        );
        let _ = writeln!(
            out,
            "<text class=\"x\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
            base + 20.0,
            escaped(label)
        );
    }
}

fn lines(out: &mut String, args: &ChartArgs, plot: &Plot, area: &Area) {
    for (index, dots) in plot.series.iter().enumerate() {
        let mut path = String::new();
        let mut pen_up = true;
        for dot in dots {
            let Some(y) = dot.y else {
                pen_up = true;
                continue;
            };
            let (x, y) = (area.x(plot.x.place(dot.x)), area.y(plot.y.place(y)));
            let _ = write!(path, "{}{x:.1} {y:.1}", if pen_up { "M" } else { "L" });
            pen_up = false;
        }
        let class = class(index);
        let _ = writeln!(out, "<path class=\"line {class}\" d=\"{path}\"/>");
        let marked = dots.len() <= MARKED;
        for dot in dots.iter().filter(|_| marked) {
            mark(out, dot, &class, 3.0, "", plot, area);
        }
    }
    bands(out, args, plot, area);
}

/// A band for each place, which shows its values when pointed at.
fn bands(out: &mut String, args: &ChartArgs, plot: &Plot, area: &Area) {
    let mut values: BTreeMap<i64, (f64, String)> = BTreeMap::new();
    for (series, dots) in args.series.iter().zip(&plot.series) {
        for (dot, y) in dots.iter().filter_map(|dot| Some((dot, dot.y?))) {
            let x = area.x(plot.x.place(dot.x));
            // Tenths of a pixel are one place; the chart is 960 wide.
            let entry =
                values.entry((x * 10.0).round() as i64).or_insert_with(|| (x, dot.label.clone()));
            let _ = write!(entry.1, "\n{}: {}", series.name, exact(y));
        }
    }
    let places: Vec<(f64, String)> = values.into_values().collect();
    let base = TOP + area.height;
    for (index, (x, text)) in places.iter().enumerate() {
        let middle = |other: Option<&(f64, String)>, end: f64| {
            other.map_or(end, |(other, _)| f64::midpoint(*other, *x))
        };
        let before = index.checked_sub(1).and_then(|index| places.get(index));
        let from = middle(before, area.left).max(x - 40.0);
        let to = middle(places.get(index + 1), area.left + area.width).min(x + 40.0);
        let _ = writeln!(
            out,
            "<g class=\"hit\"><rect x=\"{from:.1}\" y=\"{TOP}\" width=\"{:.1}\" height=\"{:.1}\"/><line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{base:.1}\"/><title>{}</title></g>",
            (to - from).max(0.1),
            area.height,
            escaped(text),
        );
    }
}

fn bars(out: &mut String, args: &ChartArgs, plot: &Plot, area: &Area) {
    let Across::Bands(names) = &plot.x else { return };
    let band = area.width / count(names.len().max(1));
    let group = (band * 0.8).min(140.0 * count(plot.series.len()));
    let width = group / count(plot.series.len().max(1));
    let zero = area.y(plot.y.place(0.0));
    for (index, dots) in plot.series.iter().enumerate() {
        for (dot, value) in dots.iter().filter_map(|dot| Some((dot, dot.y?))) {
            let x = area.x(plot.x.place(dot.x)) - group / 2.0 + width * count(index);
            let y = area.y(plot.y.place(value));
            let _ = writeln!(
                out,
                "<rect class=\"bar {}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>{}</title></rect>",
                class(index),
                x + width * 0.04,
                y.min(zero),
                (width * 0.92).max(0.5),
                (y - zero).abs().max(0.5),
                escaped(&format!("{}\n{}: {}", dot.label, args.series[index].name, exact(value))),
            );
        }
    }
}

fn dots(out: &mut String, args: &ChartArgs, plot: &Plot, area: &Area) {
    for (index, (series, dots)) in args.series.iter().zip(&plot.series).enumerate() {
        for dot in dots {
            let value = exact(dot.y.unwrap_or_default());
            let title = format!(
                "<title>{}</title>",
                escaped(&format!("{}\n{}: {value}", dot.label, series.name))
            );
            mark(out, dot, &format!("dot {}", class(index)), 5.0, &title, plot, area);
        }
    }
}

fn mark(
    out: &mut String,
    dot: &Dot,
    class: &str,
    radius: f64,
    title: &str,
    plot: &Plot,
    area: &Area,
) {
    if let Some(y) = dot.y {
        let (x, y) = (area.x(plot.x.place(dot.x)), area.y(plot.y.place(y)));
        let _ = writeln!(
            out,
            "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\">{title}</circle>"
        );
    }
}

/// Colour, and from the second round of colours on a pattern too.
pub(super) fn class(index: usize) -> String {
    let round = if index >= COLOURS { " again" } else { "" };
    format!("c{}{round}", index % COLOURS)
}

fn columns(text: &str) -> f64 {
    count(text.width())
}

fn shortened(name: &str) -> String {
    const LONGEST: usize = 18;
    if name.chars().count() <= LONGEST {
        return name.to_owned();
    }
    let mut short: String = name.chars().take(LONGEST - 1).collect();
    short.push('…');
    short
}
