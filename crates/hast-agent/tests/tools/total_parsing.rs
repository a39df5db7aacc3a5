//! Any answer gives data or a cause: sample answers are cut, mangled and mixed up; nothing panics.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hast_agent::tools::markdown;
use hast_agent::tools::net::time::Machine;
use hast_agent::tools::recorded::{Recorded, SAMPLE};
use hast_agent::tools::{Cache, Settings, chart, perform};
use hast_flow::docs::session::RoutingState;
use hast_flow::steps::ToolUse;
use hast_flow::tools::args::ChartArgs;
use proptest::prelude::*;
use serde_json::{Value, json};

fn settings(recorded: Recorded) -> Settings {
    let time = Arc::new(Machine::new(Arc::new(AtomicBool::new(false))));
    let variable =
        |name: &str| (name == "HAST_SEARXNG_URL").then(|| "https://search.example".to_owned());
    let state = RoutingState {
        ticker: Some("MRBT".to_owned()),
        year: Some(2024),
        ..RoutingState::default()
    };
    let mut settings = Settings::from_variables(variable, Some("t@example.com".to_owned()), time)
        .unwrap()
        .with_state(state)
        .through(Arc::new(recorded));
    // The pace is not what is tested here.
    let free = || {
        Arc::new(hast_agent::tools::net::pace::Pace::new(
            1 << 20,
            std::time::Duration::from_millis(1),
        ))
    };
    (settings.sec_pace, settings.yahoo_pace, settings.web_pace) = (free(), free(), free());
    settings
}

fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("sec_company", json!({})),
        ("sec_submissions", json!({})),
        ("sec_filing", json!({"section": "mda"})),
        ("sec_facts", json!({"concept": "Revenues"})),
        ("yf_prices", json!({})),
        ("yf_quote", json!({})),
        ("yf_financials", json!({"statement": "income", "period": "quarterly"})),
        ("web_search", json!({"query": "x"})),
        ("web_fetch", json!({"url": "https://news.example/moraebit-2024-results"})),
    ]
}

fn perform_all(settings: &Settings) {
    for (name, args) in calls() {
        let tool = ToolUse {
            name: name.to_owned(),
            args: args.as_object().unwrap().clone(),
            state: RoutingState::default(),
        };
        match perform(&tool, settings, &mut Cache::none()) {
            Ok(answer) => assert!(!answer.bytes.is_empty()),
            Err(failure) => assert!(!failure.next(hast_flow::words::Lang::En).is_empty()),
        }
    }
}

/// One change to an answer.
#[derive(Clone, Debug)]
enum Change {
    Cut(usize),
    Byte(usize, u8),
    Insert(usize, String),
    /// Swap a scalar of JSON for another kind of value.
    Swap(usize, usize),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        any::<usize>().prop_map(Change::Cut),
        (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Change::Byte(at, byte)),
        (any::<usize>(), "[\\[\\]{}\",:0-9a-z<>/가]{1,6}")
            .prop_map(|(at, text)| Change::Insert(at, text)),
        (any::<usize>(), 0_usize..8).prop_map(|(at, with)| Change::Swap(at, with)),
    ]
}

fn changed(body: &[u8], change: &Change) -> Vec<u8> {
    let mut bytes = body.to_vec();
    let length = bytes.len();
    match change {
        Change::Cut(at) => bytes.truncate(at % (length + 1)),
        Change::Byte(at, byte) => bytes[at % length] = *byte,
        Change::Insert(at, text) => {
            let at = at % length;
            bytes.splice(at..at, text.bytes());
        }
        Change::Swap(at, with) => {
            if let Ok(mut value) = serde_json::from_slice::<Value>(body) {
                let mut left = at % 400;
                swap(&mut value, &mut left, *with);
                bytes = value.to_string().into_bytes();
            }
        }
    }
    bytes
}

fn swap(value: &mut Value, left: &mut usize, with: usize) {
    if *left == 0 {
        let values = [
            json!(null),
            json!(true),
            json!(-1),
            json!(1e300),
            json!("2024-99-99"),
            json!([]),
            json!({}),
            json!(18_446_744_073_709_551_615_u64),
        ];
        *value = values[with].clone();
        *left = usize::MAX;
        return;
    }
    *left = left.saturating_sub(1);
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| swap(item, left, with)),
        Value::Object(fields) => fields.values_mut().for_each(|item| swap(item, left, with)),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_changed_answer_gives_data_or_a_cause(changes in proptest::collection::vec(change(), SAMPLE.len())) {
        let recorded = SAMPLE.iter().zip(&changes).fold(Recorded::new(), |all, ((url, media, body), change)| {
            all.with(url, media, changed(body, change))
        });
        perform_all(&settings(recorded));
    }

    #[test]
    fn one_changed_answer_among_good_ones_gives_data_or_a_cause(which in 0..SAMPLE.len(), change in change()) {
        let (url, media, body) = SAMPLE[which];
        perform_all(&settings(Recorded::sample().with(url, media, changed(body, &change))));
    }

    #[test]
    fn any_html_becomes_markdown(html in "(?s)(</?(p|b|a|li|ul|table|tr|td|main|nav|pre|h2|title|blockquote|script|br|div)( hidden| href='x'| colspan='9'| rowspan='2')?>|[a-z |*#<&가]|.){0,80}") {
        let base = "https://a.example/b".parse().unwrap();
        markdown::readable(&html, &base);
        markdown::whole(&html, &base);
    }

    #[test]
    fn any_chart_is_drawn_or_refused(
        points in proptest::collection::vec((prop_oneof![Just(json!("2024-02-30")), Just(json!("a<b>&\"'")), (-1e308_f64..1e308).prop_map(|x| json!(x)), (1900..2100).prop_map(|y| json!(format!("{y}-01")))], proptest::option::of(-1e308_f64..1e308)), 1..12),
        kind in 0..3_usize,
    ) {
        let points: Vec<Value> = points.into_iter().map(|(x, y)| json!({"x": x, "y": y})).collect();
        let kind = ["line", "bar", "scatter"][kind];
        let args = json!({"title": "t", "kind": kind, "series": [{"name": "s", "points": points}]});
        let args: ChartArgs = serde_json::from_value(args).unwrap();
        if let Ok(html) = chart::html(&args) {
            prop_assert!(!html.contains("NaN") && !html.contains("inf") && !html.contains("<b>&"), "{}", html);
        }
    }
}

#[test]
fn a_page_that_nests_without_end_is_read_in_time() {
    let base = "https://a.example/".parse().unwrap();
    for tag in [
        "<div>",
        "<table><tr><td>",
        "<ul><li>",
        "<b>",
        "<blockquote>",
        "<nav>",
        "<main>",
        "<p hidden>",
    ] {
        let html = tag.repeat(30_000) + "end";
        markdown::readable(&html, &base);
    }
    let links = "<table><tr><td>".to_owned() + &"<a href='x'>y</a>".repeat(100_000);
    let far = format!("https://a.example/{}/", "long/".repeat(300)).parse().unwrap();
    assert!(markdown::readable(&links, &far).len() < 40 << 20);
}
