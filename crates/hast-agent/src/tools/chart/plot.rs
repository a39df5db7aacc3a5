//! Layout of a chart: every point gets its place on both axes.

use hast_flow::tools::args::{AxisKind, ChartArgs, ChartKind, Place};

use super::scale::{Scale, Tick, time};

/// Beyond this, differences of values are not numbers any more.
const LARGEST: f64 = 1e290;

pub(super) struct Plot {
    pub x: Across,
    pub y: Scale,
    pub series: Vec<Vec<Dot>>,
}

/// The horizontal axis.
pub(super) enum Across {
    Scale(Scale),
    /// Places of equal width, one each name.
    Bands(Vec<String>),
}

#[derive(Clone, Debug)]
pub(super) struct Dot {
    /// A value of the scale, or the number of the band.
    pub x: f64,
    pub y: Option<f64>,
    pub label: String,
}

impl Across {
    /// Where a dot is, from 0 to 1.
    pub(super) fn place(&self, x: f64) -> f64 {
        match self {
            Self::Scale(scale) => scale.place(x),
            Self::Bands(names) => (x + 0.5) / count(names.len()),
        }
    }
}

pub(super) fn count(size: usize) -> f64 {
    u32::try_from(size).map_or(f64::MAX, f64::from)
}

impl Plot {
    pub(super) fn new(args: &ChartArgs) -> Result<Self, String> {
        let kind = axis(args);
        let mut names: Vec<String> = Vec::new();
        let mut known = std::collections::BTreeMap::new();
        let mut series = Vec::new();
        for one in &args.series {
            let mut dots = Vec::new();
            for point in &one.points {
                let label = point.x.to_string();
                let x = match (kind, &point.x) {
                    (AxisKind::Number, Place::Number(number)) => *number,
                    (AxisKind::Number, Place::Text(text)) => {
                        text.parse().map_err(|_| format!("`x` must be a number, not `{text}`"))?
                    }
                    (AxisKind::Time, _) => time(&label).ok_or_else(|| {
                        format!("`x` must be a day like 2024-01-15, not `{label}`")
                    })?,
                    (AxisKind::Category, _) => {
                        let next = names.len();
                        count(*known.entry(label.clone()).or_insert_with(|| {
                            names.push(label.clone());
                            next
                        }))
                    }
                };
                let fits = |value: f64| value.abs() < LARGEST;
                if !fits(x) || !point.y.is_none_or(fits) {
                    return Err("a value is too large to draw".to_owned());
                }
                dots.push(Dot { x, y: point.y, label });
            }
            if kind != AxisKind::Category && args.kind == ChartKind::Line {
                dots.sort_by(|a, b| a.x.total_cmp(&b.x));
            }
            series.push(dots);
        }
        let across = match kind {
            AxisKind::Category => Across::Bands(names),
            AxisKind::Time | AxisKind::Number => scale(kind, &series),
        };
        let y = upright(args.kind, &series).ok_or("no point has a `y`")?;
        Ok(Self { x: across, y, series })
    }
}

/// Bars stand on names; otherwise what the values are.
fn axis(args: &ChartArgs) -> AxisKind {
    if args.kind == ChartKind::Bar {
        return AxisKind::Category;
    }
    let places = || args.series.iter().flat_map(|series| &series.points).map(|point| &point.x);
    args.x_axis.unwrap_or_else(|| {
        if places().all(|x| matches!(x, Place::Number(_))) {
            AxisKind::Number
        } else if places().all(|x| matches!(x, Place::Text(text) if time(text).is_some())) {
            AxisKind::Time
        } else {
            AxisKind::Category
        }
    })
}

fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |range, value| match range {
        None => Some((value, value)),
        Some((least, most)) => Some((value.min(least), value.max(most))),
    })
}

fn scale(kind: AxisKind, series: &[Vec<Dot>]) -> Across {
    let (least, most) = range(series.iter().flatten().map(|dot| dot.x)).unwrap_or((0.0, 1.0));
    let year = |x: f64| x.fract() == 0.0 && (1900.0..2200.0).contains(&x);
    if kind == AxisKind::Time {
        return Across::Scale(Scale::days(least, most, 8));
    }
    let mut scale =
        Scale::numbers(least, most, 8.0, series.iter().flatten().all(|dot| year(dot.x)));
    // Along this axis the data fill the width; half a step of room would say nothing.
    if least < most {
        let room = (most - least) * 0.02;
        (scale.least, scale.most) = (least - room, most + room);
        scale.ticks.retain(|Tick { at, .. }| (least - room..=most + room).contains(at));
    }
    Across::Scale(scale)
}

fn upright(kind: ChartKind, series: &[Vec<Dot>]) -> Option<Scale> {
    let (least, most) = range(series.iter().flatten().filter_map(|dot| dot.y))?;
    let zero = kind == ChartKind::Bar || (least >= 0.0 && least < (most - least) * 0.5);
    let (least, most) = if zero { (least.min(0.0), most.max(0.0)) } else { (least, most) };
    Some(Scale::numbers(least, most, 5.0, false))
}
