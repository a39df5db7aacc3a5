//! Charts as files: whole, self-contained, the same for the same data, with every value in them.

use hast_agent::tools::chart::html;
use hast_flow::tools::args::ChartArgs;
use serde_json::{Value, json};

fn chart(args: Value) -> String {
    html(&serde_json::from_value::<ChartArgs>(args).unwrap()).unwrap()
}

fn line() -> Value {
    json!({
        "title": "매출 <추이> & \"전망\"", "kind": "line", "y_label": "백만 달러", "source": "SEC",
        "series": [
            {"name": "매출", "points": [{"x": "2022-12-31", "y": 603.9}, {"x": "2023-12-31", "y": null}, {"x": "2024-12-31", "y": 689.6}]},
            {"name": "순이익", "points": [{"x": "2022-12-31", "y": 71.3}, {"x": "2024-12-31", "y": -83.9}]},
        ],
    })
}

#[test]
fn a_chart_needs_nothing_from_outside_and_runs_nothing() {
    let page = chart(line());
    for outside in ["<script", "<link", "@import", "url(", "src=", "href="] {
        assert!(!page.contains(outside), "{outside}");
    }
    let addresses = page.matches("http").count();
    assert_eq!(addresses, page.matches("http://www.w3.org/2000/svg").count());
    assert!(page.starts_with("<!doctype html>\n<html lang=\"ko\">"));
}

#[test]
fn a_chart_can_be_read_aloud_and_its_values_pointed_at() {
    let page = chart(line());
    assert!(page.contains("role=\"img\" aria-labelledby="));
    assert!(page.contains("매출 &lt;추이&gt; &amp; &quot;전망&quot;</title>"), "{page}");
    assert!(page.contains("매출: 2022-12-31 = 603.9, 2024-12-31 = 689.6"), "{page}");
    assert!(page.contains("<title>2024-12-31\n매출: 689.6\n순이익: −83.9</title>"), "{page}");
    assert!(page.contains("prefers-color-scheme:dark"));
}

#[test]
fn a_gap_breaks_the_line() {
    let page = chart(line());
    let path = page.split("class=\"line c0\" d=\"").nth(2).unwrap().split('"').next().unwrap();
    assert_eq!((path.matches('M').count(), path.matches('L').count()), (2, 0), "{path}");
}

#[test]
fn bars_stand_on_zero_and_go_below_it() {
    let points = json!([{"x": "A", "y": 10}, {"x": "B", "y": -5}]);
    let page =
        chart(json!({"title": "t", "kind": "bar", "series": [{"name": "s", "points": points}]}));
    let bars: Vec<(f64, f64)> = page
        .lines()
        .filter(|line| line.starts_with("<rect class=\"bar"))
        .map(|line| (number(line, " y=\""), number(line, " height=\"")))
        .collect();
    let zero = page.lines().find(|line| line.starts_with("<line class=\"zero\"")).unwrap();
    let zero = number(zero, "y1=\"");
    assert!((bars[0].0 + bars[0].1 - zero).abs() < 0.2, "{bars:?} {zero}");
    assert!((bars[1].0 - zero).abs() < 0.2, "{bars:?} {zero}");
    assert!((bars[0].1 / bars[1].1 - 2.0).abs() < 0.02, "{bars:?}");
}

fn number(line: &str, after: &str) -> f64 {
    line.split(after).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
}

#[test]
fn the_same_data_give_the_same_file() {
    assert_eq!(chart(line()), chart(line()));
    let refused =
        json!({"title": "t", "kind": "line", "series": [{"name": "s", "points": [{"x": 1}]}]});
    assert!(html(&serde_json::from_value::<ChartArgs>(refused).unwrap()).is_err());
    let mixed = json!({"title": "t", "kind": "line", "x_axis": "time", "series": [{"name": "s", "points": [{"x": "soon", "y": 1}]}]});
    assert!(html(&serde_json::from_value::<ChartArgs>(mixed).unwrap()).is_err());
}
