//! Series in what a session fetched, as charts: prices by day, facts by year.

use hast_flow::tools::args::{ChartArgs, ChartKind, Place, Point, Series};
use serde_json::Value;

/// More points say nothing more on a screen.
const MOST_POINTS: usize = 1500;

/// The chart of a document that a tool gave; none where it has no series.
pub(super) fn chart(document: &[u8], source: &str) -> Option<ChartArgs> {
    let value: Value = serde_json::from_slice(document).ok()?;
    prices(&value, source).or_else(|| facts(&value, source))
}

/// What `yf_prices` gives.
fn prices(value: &Value, source: &str) -> Option<ChartArgs> {
    let rows = value.get("prices")?.as_array()?;
    let ticker = value.get("ticker")?.as_str()?;
    let currency = value.get("currency").and_then(Value::as_str).unwrap_or_default();
    let points = points(rows, "date", "close")?;
    Some(args(ticker, ChartKind::Line, currency, ticker, points, source))
}

/// What `sec_facts` gives.
fn facts(value: &Value, source: &str) -> Option<ChartArgs> {
    let rows = value.get("values")?.as_array()?;
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let (concept, unit) = (text("concept")?, text("unit").unwrap_or_default());
    let name = text("label").unwrap_or(concept);
    let title = format!("{} {name}", text("company").unwrap_or_default());
    Some(args(title.trim(), ChartKind::Bar, unit, name, points(rows, "end", "value")?, source))
}

fn args(
    title: &str,
    kind: ChartKind,
    unit: &str,
    name: &str,
    points: Vec<Point>,
    source: &str,
) -> ChartArgs {
    ChartArgs {
        title: title.to_owned(),
        kind,
        x_axis: None,
        x_label: None,
        y_label: (!unit.is_empty()).then(|| unit.to_owned()),
        description: None,
        source: Some(source.to_owned()),
        series: vec![Series { name: name.to_owned(), points }],
    }
}

fn points(rows: &[Value], at: &str, what: &str) -> Option<Vec<Point>> {
    let every = rows.len().div_ceil(MOST_POINTS).max(1);
    let points: Vec<Point> = rows
        .iter()
        .step_by(every)
        .filter_map(|row| {
            let x = Place::Text(row.get(at)?.as_str()?.to_owned());
            Some(Point { x, y: row.get(what)?.as_f64() })
        })
        .collect();
    (points.len() > 1).then_some(points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn prices_and_facts_are_drawn_and_nothing_else_is() {
        let prices = json!({"ticker": "MRBT", "currency": "USD", "prices": [
            {"date": "2024-01-02", "close": 10.5}, {"date": "2024-01-03", "close": 11}]});
        let drawn = chart(prices.to_string().as_bytes(), "T-0001").unwrap();
        assert_eq!((drawn.title.as_str(), drawn.series[0].points.len()), ("MRBT", 2));
        let facts = json!({"company": "M", "concept": "Revenues", "label": null, "unit": "USD",
            "values": [{"end": "2023-12-31", "value": 1}, {"end": "2024-12-31", "value": 2}]});
        let drawn = chart(facts.to_string().as_bytes(), "T-0002").unwrap();
        assert_eq!((drawn.title.as_str(), drawn.kind), ("M Revenues", ChartKind::Bar));
        for other in ["{}", "nonsense", "{\"prices\": []}", "{\"prices\": [1, 2]}"] {
            assert!(chart(other.as_bytes(), "x").is_none(), "{other}");
        }
    }
}
