//! Calls of tools as plans write them: completed from the session's state, or all findings at once.

#![cfg(test)]

use hast_flow::docs::session::{DataSource, RoutingState};
use hast_flow::tools::args::{FilingForm, Interval, Period, Range, Section};
use hast_flow::tools::request::{Args, CompanyName, Span, Years, of_source};
use hast_flow::tools::{FailureClass, Request, Tool, ToolFailure, failure, findings, resolve};
use hast_flow::words::{Lang, placeholders};
use serde_json::{Value, json};

fn state() -> RoutingState {
    let state = json!({"ticker": "AVGO", "company": "Broadcom", "year": 2024, "min_year": 2019});
    serde_json::from_value(state).unwrap()
}

fn args(value: &Value) -> Args {
    value.as_object().unwrap().clone()
}

fn request(name: &str, value: &Value) -> Result<Request, ToolFailure> {
    resolve(name, &args(value), &state())
}

fn wrong(name: &str, value: &Value) -> Vec<String> {
    match request(name, value) {
        Err(ToolFailure::BadArguments { findings, .. }) => findings,
        other => panic!("{name} {value}: {other:?}"),
    }
}

#[test]
fn a_call_that_omits_the_ticker_takes_it_from_the_state() {
    let quote = Request::YfQuote { ticker: "AVGO".to_owned() };
    assert_eq!(request("yf_quote", &json!({})), Ok(quote));
    let other = Request::YfQuote { ticker: "005930.KS".to_owned() };
    assert_eq!(request("yf_quote", &json!({"ticker": "005930.ks"})), Ok(other));
    let company = Request::SecCompany(CompanyName::Ticker("AVGO".to_owned()));
    assert_eq!(request("sec_company", &json!({})), Ok(company));
}

#[test]
fn a_company_without_a_ticker_is_asked_for_by_name() {
    let state = RoutingState { company: Some("Broadcom".to_owned()), ..RoutingState::default() };
    let named = Request::SecCompany(CompanyName::Name("Broadcom".to_owned()));
    assert_eq!(resolve("sec_company", &Args::new(), &state), Ok(named));
}

#[test]
fn years_come_from_the_state_where_a_call_has_none() {
    let Ok(Request::SecFacts { years, period, taxonomy, .. }) =
        request("sec_facts", &json!({"concept": "Revenues"}))
    else {
        panic!();
    };
    assert_eq!(years, Years { from: Some(2019), to: Some(2024) });
    assert_eq!((period, taxonomy.as_str()), (Period::Annual, "us-gaap"));
    let Ok(Request::YfPrices { span: Span::Days { start, end }, interval, .. }) =
        request("yf_prices", &json!({}))
    else {
        panic!();
    };
    assert_eq!((start.to_string(), end.to_string()), ("2024-01-01".into(), "2024-12-31".into()));
    assert_eq!(interval, Interval::Day);
    let none = RoutingState { ticker: Some("X".to_owned()), ..RoutingState::default() };
    let prices = resolve("yf_prices", &Args::new(), &none).unwrap();
    assert!(matches!(prices, Request::YfPrices { span: Span::Range(Range::Year1), .. }));
}

#[test]
fn a_year_before_min_year_is_refused_with_the_year_that_is_allowed() {
    for (name, value) in [
        ("sec_filing", json!({"year": 2018})),
        ("sec_facts", json!({"concept": "Revenues", "from_year": 2010})),
        ("sec_submissions", json!({"from_year": 2018})),
        ("yf_prices", json!({"start": "2018-12-31", "end": "2020-01-01"})),
    ] {
        let failure = request(name, &value).unwrap_err();
        assert!(matches!(failure, ToolFailure::YearTooEarly { min_year: 2019, .. }), "{failure:?}");
        assert!(failure.next(Lang::En).contains("2019"));
    }
}

#[test]
fn all_findings_of_a_call_come_at_once() {
    let found = wrong("sec_facts", &json!({"concpet": "x", "from_year": 1, "period": "weekly"}));
    assert_eq!(found.len(), 4, "{found:?}");
    let empty = RoutingState { min_year: Some(2020), ..RoutingState::default() };
    let call = args(&json!({"concept": "a b", "from_year": 2019}));
    match resolve("sec_facts", &call, &empty) {
        Err(ToolFailure::BadArguments { findings, .. }) => assert_eq!(findings.len(), 3),
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_rule_of_the_arguments_has_its_finding() {
    let long = "x".repeat(401);
    let points: Vec<Value> = (0..20_001).map(|x| json!({"x": x, "y": 1})).collect();
    for (name, value, expected) in [
        ("yf_quote", json!({"ticker": "A B"}), "ticker"),
        ("yf_quote", json!({"ticker": "../../x"}), "ticker"),
        ("yf_quote", json!({"ticker": 5}), "expected text"),
        ("yf_prices", json!({"start": "2024-01-01"}), "start"),
        ("yf_prices", json!({"start": "2024-02-01", "end": "2024-01-01"}), "before the end"),
        ("yf_prices", json!({"start": "01/02/2024", "end": "2024-01-01"}), "form"),
        ("yf_prices", json!({"range": "7y"}), "7y"),
        ("sec_filing", json!({"quarter": 2}), "10-Q"),
        ("sec_filing", json!({"form": "10-Q", "quarter": 5}), "out of range"),
        ("sec_filing", json!({"form": "10-Q", "section": "business"}), "section"),
        ("sec_filing", json!({"form": "8-K"}), "8-K"),
        ("sec_facts", json!({}), "concept"),
        ("sec_facts", json!({"concept": "a/../b"}), "concept"),
        ("sec_facts", json!({"concept": "X", "from_year": 2024, "to_year": 2020}), "from_year"),
        ("sec_submissions", json!({"limit": 0}), "out of range"),
        ("yf_financials", json!({}), "statement"),
        ("web_search", json!({"query": long}), "query"),
        ("web_search", json!({"query": "  "}), "query"),
        ("web_fetch", json!({"url": "file:///etc/passwd"}), "http"),
        ("web_fetch", json!({"url": "https://a.example", "extra": 1}), "extra"),
        ("chart", json!({"title": "t", "kind": "pie", "series": []}), "pie"),
        (
            "chart",
            json!({"title": "t", "kind": "line", "series": [{"name": "a", "points": points}]}),
            "20000",
        ),
    ] {
        let found = wrong(name, &value);
        assert!(found.iter().any(|finding| finding.contains(expected)), "{name}: {found:?}");
    }
}

#[test]
fn a_plan_may_only_call_tools_of_its_source() {
    let state = state();
    let call = |name: &str, source| findings(name, &Args::new(), source, &state);
    assert_eq!(call("sec_company", DataSource::Sec), Vec::<String>::new());
    assert!(call("sec_company", DataSource::Web)[0].contains("web_search, web_fetch"));
    assert!(call("sec_comapny", DataSource::Sec)[0].contains("no tool `sec_comapny`"));
    assert!(!call("chart", DataSource::Synthesis).is_empty());
    // Another source and wrong arguments are both said.
    assert_eq!(call("web_search", DataSource::Sec).len(), 2);
    assert_eq!(of_source(DataSource::Synthesis).count(), 0);
    let sources = [DataSource::Sec, DataSource::Yfinance, DataSource::Web];
    let known: usize = sources.into_iter().map(|source| of_source(source).count()).sum();
    assert_eq!(known + 1, Tool::ALL.len());
}

#[test]
fn a_whole_annual_report_needs_no_arguments() {
    let filing = Request::SecFiling {
        ticker: "AVGO".to_owned(),
        form: FilingForm::Annual,
        year: 2024,
        quarter: None,
        section: None,
    };
    assert_eq!(request("sec_filing", &json!({})), Ok(filing));
    for section in Section::ALL {
        let asked = json!({"section": section.name()});
        assert!(request("sec_filing", &asked).is_ok(), "{}", section.name());
    }
}

#[test]
fn every_failure_says_what_and_what_next_in_both_languages() {
    for entry in failure::text::CATALOGUE {
        assert_eq!(placeholders(entry.en), placeholders(entry.ko), "{}", entry.key);
    }
    let failure = ToolFailure::Limited { url: "https://x.example/".to_owned(), seconds: Some(7) };
    let record = failure.record(Lang::En);
    assert_eq!(record.class, FailureClass::Limited);
    assert!(record.next.contains('7') && record.cause.contains("x.example"));
    let line = serde_json::to_string(&record).unwrap();
    assert!(line.starts_with(r#"{"class":"limited","cause":"#), "{line}");
}
