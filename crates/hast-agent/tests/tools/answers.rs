//! Every tool over real HTTP on loopback: what it answers, and what it says where a source fails.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::loopback::{Manner, Reply, Scene, Server};
use hast_agent::tools::recorded::Recorded;
use hast_agent::tools::{Cache, perform};
use hast_flow::docs::session::RoutingState;
use hast_flow::steps::ToolUse;
use hast_flow::tools::{FailureClass, Tool, ToolFailure};
use hast_flow::words::Lang;
use serde_json::{Value, json};

const TICKERS: &str = "/files/company_tickers.json";
const REVENUES: &str = "/api/xbrl/companyconcept/CIK0009990001/us-gaap/Revenues.json";
const CHART: &str = "/v8/finance/chart/MRBT";
const SUMMARY: &str = "/v10/finance/quoteSummary/MRBT";
const CRUMB: &str = "/v1/test/getcrumb";

#[test]
fn a_company_is_found_by_the_ticker_of_the_state_and_says_who_asks() {
    let scene = Scene::new();
    let company = scene.json("sec_company", &json!({}));
    let expected = json!({"ticker": "MRBT", "cik": "0009990001", "name": "Moraebit Devices Inc."});
    assert_eq!(company, expected);
    assert!(scene.server.seen()[0].headers.contains("user-agent: test test@example.com"));
    assert_eq!(scene.json("sec_company", &json!({"company": "hanview"}))["ticker"], "HNVW-B");
}

#[test]
fn without_a_user_agent_the_sec_is_not_asked() {
    let mut scene = Scene::new();
    scene.settings.sec_user_agent = None;
    for name in ["sec_company", "sec_submissions", "sec_filing"] {
        let failure = scene.failure(name, &json!({}));
        assert_eq!(failure, ToolFailure::NoUserAgent);
        assert!(failure.next(Lang::Ko).contains("sec.user_agent"));
    }
    assert_eq!(scene.server.seen().len(), 0);
    scene.settings.sec_user_agent = Some("a\r\nx: y".to_owned());
    let failure = scene.failure("sec_company", &json!({}));
    assert!(matches!(failure, ToolFailure::BadSetting { .. }));
}

#[test]
fn filings_are_listed_newest_first_with_their_addresses() {
    let scene = Scene::new();
    let list = scene.json("sec_submissions", &json!({"forms": ["10-k"]}));
    let filings = list["filings"].as_array().unwrap();
    // The older list is read because min_year reaches into it.
    assert_eq!(filings.len(), 6);
    assert_eq!(filings[0]["period"], "2024-12-31");
    assert_eq!(filings[5]["period"], "2019-12-31");
    let url = filings[0]["url"].as_str().unwrap();
    assert!(url.ends_with("/Archives/edgar/data/9990001/000999000125000007/mrbt-20241231.htm"));
    let few =
        scene.json("sec_submissions", &json!({"from_year": 2024, "to_year": 2024, "limit": 2}));
    assert_eq!(few["filings"].as_array().unwrap().len(), 2);
    assert_eq!(few["filings"][0]["form"], "10-Q");
}

#[test]
fn a_section_of_a_report_comes_as_markdown_with_its_tables() {
    let scene = Scene::new();
    let text = scene.text("sec_filing", &json!({"section": "mda"}));
    assert!(text.starts_with("<!-- Moraebit Devices Inc., 10-K, period 2024-12-31"), "{text}");
    assert!(text.contains("Revenue rose 17.2%") && !text.contains("10% in the won"), "{text}");
    assert!(text.contains("| (in millions) | **2024** | **2023** | **2022** |"), "{text}");
    assert!(text.contains("| Revenue | $689.6 | $588.4 | $603.9 |"), "{text}");
    assert!(text.contains("| Cost of revenue | (379.3) | (323.6) | (332.1) |"), "{text}");
    let risks = scene.text("sec_filing", &json!({"section": "risk_factors"}));
    assert!(
        risks.contains("Two customers were 24%") && !risks.contains("Staff Comments"),
        "{risks}"
    );
    let whole = scene.text("sec_filing", &json!({}));
    assert!(whole.len() > text.len() && !whole.contains("0009990001</"), "{whole}");
    assert!(!whole.contains("EntityCentralIndexKey"));
}

#[test]
fn a_report_that_is_not_there_is_a_cause() {
    let scene = Scene::new();
    let failure = scene.failure("sec_filing", &json!({"year": 2030}));
    assert_eq!(failure, ToolFailure::NoFiling { form: "10-K".to_owned(), year: 2030 });
    let early = scene.failure("sec_filing", &json!({"year": 2018}));
    assert_eq!(early, ToolFailure::YearTooEarly { year: 2018, min_year: 2019 });
    // Listed, but its document is not served.
    let gone = scene.failure("sec_filing", &json!({"form": "10-Q", "quarter": 2}));
    assert!(matches!(&gone, ToolFailure::NotFound { url } if url.contains("mrbt-20240630.htm")));
}

#[test]
fn facts_are_one_value_a_year_as_last_reported() {
    let scene = Scene::new();
    let facts = scene.json("sec_facts", &json!({"concept": "Revenues"}));
    let values: Vec<(i64, i64)> = facts["values"].as_array().unwrap().iter().map(numbers).collect();
    assert_eq!(values.len(), 6);
    // 588.1 million was corrected to 588.4 a year later.
    assert_eq!(values[4], (2023, 588_400_000));
    assert_eq!(values[5], (2024, 689_600_000));
    let quarters = json!({"concept": "Revenues", "period": "quarterly", "from_year": 2024});
    let quarters = scene.json("sec_facts", &quarters);
    let sum: i64 =
        quarters["values"].as_array().unwrap().iter().map(|value| numbers(value).1).sum();
    assert_eq!(sum, 689_600_000);
    let assets = scene.json("sec_facts", &json!({"concept": "Assets"}));
    assert_eq!(assets["values"].as_array().unwrap().len(), 6);
}

fn numbers(value: &Value) -> (i64, i64) {
    (value["year"].as_i64().unwrap(), value["value"].as_i64().unwrap())
}

#[test]
fn a_concept_unit_or_year_without_facts_is_a_cause() {
    let scene = Scene::new();
    for args in [
        json!({"concept": "Goodwill"}),
        json!({"concept": "Revenues", "unit": "EUR"}),
        json!({"concept": "Revenues", "from_year": 2030, "to_year": 2031}),
    ] {
        let failure = scene.failure("sec_facts", &args);
        assert!(matches!(failure, ToolFailure::NoFacts { .. }), "{failure:?}");
        assert_eq!(failure.class(), FailureClass::NotFound);
    }
    let unknown = scene.failure("sec_facts", &json!({"concept": "Revenues", "ticker": "NOPE"}));
    assert_eq!(unknown, ToolFailure::UnknownTicker { ticker: "NOPE".to_owned() });
}

#[test]
fn prices_are_the_days_of_the_session_s_year() {
    let scene = Scene::new();
    let history = scene.json("yf_prices", &json!({}));
    let prices = history["prices"].as_array().unwrap();
    assert_eq!(prices.len(), 251);
    assert_eq!(prices[0]["date"], "2024-01-02");
    assert_eq!(prices[250]["date"], "2024-12-31");
    assert_eq!(prices[250]["close"], 48.2);
    // The source had nothing for this day.
    assert!(prices.iter().all(|price| price["date"] != "2024-07-03"));
    assert_eq!(history["dividends"], json!([{"date": "2024-06-14", "amount": 0.2}]));
    let seen = &scene.server.seen()[0].target;
    assert_eq!(
        seen,
        "/v8/finance/chart/MRBT?period1=1704067200&period2=1735689600&interval=1d&events=div%2Csplits"
    );
    let part = scene.json("yf_prices", &json!({"start": "2024-03-01", "end": "2024-03-05"}));
    assert_eq!(part["prices"].as_array().unwrap().len(), 3);
}

#[test]
fn a_quote_takes_a_cookie_and_a_crumb_and_writes_neither_down() {
    let scene = Scene::new();
    let answer = scene.ask("yf_quote", &json!({})).unwrap();
    let quote: Value = serde_json::from_slice(&answer.bytes).unwrap();
    assert_eq!(quote["name"], "Moraebit Devices Inc.");
    assert_eq!(quote["price"]["regularMarketPrice"], 48.2);
    assert_eq!(quote["statistics"]["sharesOutstanding"], 41_500_000);
    assert!(
        quote["price"].get("preMarketPrice").is_none() && quote["price"].get("maxAge").is_none()
    );
    let seen = scene.server.seen();
    let asked = seen.iter().find(|seen| seen.target.starts_with(SUMMARY)).unwrap();
    assert!(asked.target.contains("crumb=sample.Crumb%2F1"), "{asked:?}");
    assert!(asked.headers.contains("cookie: a3=d=sample"), "{asked:?}");
    assert!(answer.sources.iter().all(|raw| !raw.url.contains("crumb")));
    let income = scene.json("yf_financials", &json!({"statement": "income"}));
    let year = &income["periods"][3];
    assert_eq!((&year["end"], &income["currency"]), (&json!("2024-12-31"), &json!("USD")));
    assert_eq!(year["values"]["totalRevenue"], 689_600_000);
    assert!(year["values"].get("ebit").is_none(), "it is not there, and not 0: {year}");
    assert_eq!(year["checks"][0]["sum"], "grossProfit = totalRevenue - costOfRevenue");
    assert_eq!(year["checks"][0]["holds"], true);
    // Threads and tools share one crumb.
    assert_eq!(scene.server.count(CRUMB), 1);
}

#[test]
fn an_old_crumb_is_replaced_once_and_an_apology_is_not_a_crumb() {
    let scene = Scene::new();
    let good = Reply::json(include_bytes!("../fixtures/quote-MRBT.json").to_vec());
    scene.server.on_each(SUMMARY, &[Reply::new(401, "application/json", "{}"), good]);
    assert_eq!(scene.json("yf_quote", &json!({}))["ticker"], "MRBT");
    assert_eq!(scene.server.count(CRUMB), 2);

    let scene = Scene::new();
    scene.server.on(CRUMB, Reply::new(200, "text/html", "Too Many Requests\r\n"));
    let failure = scene.failure("yf_quote", &json!({}));
    assert!(matches!(failure, ToolFailure::NoCrumb { .. }), "{failure:?}");
    scene
        .server
        .on(CRUMB, Reply::new(429, "text/plain", "Too Many Requests").header("retry-after", "900"));
    let failure = scene.failure("yf_quote", &json!({}));
    assert!(matches!(failure, ToolFailure::Limited { seconds: Some(900), .. }), "{failure:?}");
    assert_eq!(scene.server.count(SUMMARY), 0);
}

#[test]
fn an_unknown_ticker_at_yahoo_is_a_cause() {
    let scene = Scene::new();
    let body = r#"{"chart":{"result":null,"error":{"code":"Not Found","description":"No data found, symbol may be delisted"}}}"#;
    scene.server.on("/v8/finance/chart/NOPE", Reply::new(404, "application/json", body));
    let failure = scene.failure("yf_prices", &json!({"ticker": "NOPE"}));
    assert_eq!(failure, ToolFailure::UnknownTicker { ticker: "NOPE".to_owned() });
    scene.server.on("/v8/finance/chart/NOPE", Reply::json(body));
    let failure = scene.failure("yf_prices", &json!({"ticker": "NOPE"}));
    assert!(matches!(&failure, ToolFailure::NoData { why, .. } if why.contains("delisted")));
}

#[test]
fn both_search_services_give_the_same_shape() {
    let scene = Scene::new();
    let found = scene.json("web_search", &json!({"query": "Moraebit 2024 실적", "limit": 1}));
    assert_eq!(found["provider"], "searxng");
    assert_eq!(found["results"].as_array().unwrap().len(), 1);
    let target = &scene.server.seen()[0].target;
    assert_eq!(target, "/search?q=Moraebit+2024+%EC%8B%A4%EC%A0%81&format=json");

    let server = Server::start();
    let path = "/v1beta/models/gemini-2.5-flash:generateContent";
    server.on(path, Reply::json(include_bytes!("../fixtures/gemini.json").to_vec()));
    let base = server.url("");
    let variables =
        [("HAST_SEARXNG_URL", ""), ("GEMINI_API_KEY", "k-secret-1"), ("HAST_GEMINI_URL", &base)];
    let scene = Scene::with(server, &variables);
    let answer = scene.ask("web_search", &json!({"query": "Moraebit results"})).unwrap();
    let found: Value = serde_json::from_slice(&answer.bytes).unwrap();
    assert!(found["summary"].as_str().unwrap().contains("$83.9 million"));
    assert_eq!(found["results"][0]["url"], "https://news.example/moraebit-2024-results");
    assert!(found["results"][0]["excerpt"].as_str().unwrap().contains("$689.6"));
    let seen = &scene.server.seen()[0];
    assert!(seen.headers.contains("x-goog-api-key: k-secret-1"));
    assert!(seen.body.contains("google_search") && seen.body.contains("Moraebit results"));
    let shown = format!("{answer:?}{:?}", scene.settings);
    assert!(!shown.contains("k-secret-1"));
    let nobody = Scene::with(Server::start(), &[("HAST_SEARXNG_URL", " ")]);
    let failure = nobody.failure("web_search", &json!({"query": "x"}));
    assert_eq!(failure, ToolFailure::NoSearchProvider);
}

#[test]
fn a_page_becomes_readable_markdown() {
    let scene = Scene::new();
    let url = "https://news.example/moraebit-2024-results";
    let text = scene.text("web_fetch", &json!({"url": url}));
    assert!(text.starts_with(&format!("<!-- {url} -->\n\n# Moraebit closes 2024")), "{text}");
    assert!(text.contains("| Q4 | 186.0 | 24.2 |"), "{text}");
    assert!(text.contains("[annual report](https://news.example/filings/mrbt-10k)"), "{text}");
    assert!(text.contains("> We are careful about 2025"), "{text}");
    for unwanted in ["Subscribe", "Privacy", "Markets", "do not read"] {
        assert!(!text.contains(unwanted), "{unwanted}: {text}");
    }
    let korean = scene.text("web_fetch", &json!({"url": "https://industry.example/sensor-market"}));
    assert!(korean.contains("| 압력 | 31억 달러 | 35억 달러 |"), "{korean}");
    assert!(!korean.contains("보이지 않는다") && !korean.contains("목록"), "{korean}");
    let short = scene.text("web_fetch", &json!({"url": url, "max_chars": 100}));
    assert!(short.contains("[cut after 100 characters]") && short.len() < 300);
}

#[test]
fn the_same_answers_give_the_same_bytes_with_their_sources() {
    let (one, two) = (Scene::new(), Scene::new());
    for (name, args) in every_tool() {
        let (a, b) = (one.ask(name, &args).unwrap(), two.ask(name, &args).unwrap());
        // The servers have different ports, and addresses name them.
        let plain = |bytes: &[u8], scene: &Scene| {
            String::from_utf8_lossy(bytes).replace(&scene.server.port.to_string(), "PORT")
        };
        assert_eq!(plain(&a.bytes, &one), plain(&b.bytes, &two), "{name}");
        assert_eq!(a.media, Tool::named(name).unwrap().media());
        assert_eq!(a.sources.is_empty(), name == "chart", "{name}");
        for raw in &a.sources {
            assert!(raw.fetched_at.to_string().starts_with("2025-03-03T09:00:0"));
            assert!(raw.sha256().is_some() && !raw.bytes.is_empty());
        }
    }
}

fn every_tool() -> Vec<(&'static str, Value)> {
    let series =
        json!([{"name": "매출", "points": [{"x": "2023", "y": 588.4}, {"x": "2024", "y": 689.6}]}]);
    vec![
        ("sec_company", json!({})),
        ("sec_submissions", json!({})),
        ("sec_filing", json!({"section": "business"})),
        ("sec_facts", json!({"concept": "NetIncomeLoss"})),
        ("yf_prices", json!({})),
        ("yf_quote", json!({})),
        ("yf_financials", json!({"statement": "balance"})),
        ("web_search", json!({"query": "x"})),
        ("web_fetch", json!({"url": "https://news.example/moraebit-2024-results"})),
        ("chart", json!({"title": "매출", "kind": "bar", "series": series})),
    ]
}

#[test]
fn every_tool_answers_from_the_bundled_sample_without_a_network() {
    let scene = Scene::with(
        Server::start(),
        &[
            ("HAST_SEC_URL", "https://www.sec.gov"),
            ("HAST_SEC_DATA_URL", "https://data.sec.gov"),
            ("HAST_YAHOO_URL", "https://query2.finance.yahoo.com"),
            ("HAST_YAHOO_COOKIE_URL", "https://fc.yahoo.com"),
            ("HAST_SEARXNG_URL", "https://search.example"),
            ("HAST_WEB_GATEWAY", ""),
        ],
    );
    let settings = scene.settings.clone().through(Arc::new(Recorded::sample()));
    for (name, args) in every_tool() {
        let tool = ToolUse {
            name: name.to_owned(),
            args: args.as_object().unwrap().clone(),
            state: RoutingState::default(),
        };
        let answer = perform(&tool, &settings, &mut Cache::none());
        assert!(answer.is_ok(), "{name}: {answer:?}");
    }
    let args = json!({"concept": "Goodwill"}).as_object().unwrap().clone();
    let tool = ToolUse { name: "sec_facts".to_owned(), args, state: RoutingState::default() };
    let failure = perform(&tool, &settings, &mut Cache::none()).unwrap_err();
    assert!(matches!(failure, ToolFailure::NotRecorded { .. }), "{failure:?}");
}

#[test]
fn what_was_fetched_today_is_not_fetched_again() {
    let scene = Scene::new();
    let first = scene.ask("sec_facts", &json!({"concept": "Revenues"})).unwrap();
    let second = scene.ask("sec_facts", &json!({"concept": "Revenues"})).unwrap();
    assert_eq!(first, second);
    assert_eq!((scene.server.count(TICKERS), scene.server.count(REVENUES)), (1, 1));
    // Tomorrow it is.
    hast_agent::tools::net::time::Time::sleep(&*scene.time, Duration::from_secs(86_400)).unwrap();
    scene.ask("sec_facts", &json!({"concept": "Revenues"})).unwrap();
    assert_eq!((scene.server.count(TICKERS), scene.server.count(REVENUES)), (2, 2));
}

#[test]
fn an_answer_that_could_not_be_read_is_not_kept() {
    let scene = Scene::new();
    let good = Reply::json(include_bytes!("../fixtures/concept-Revenues.json").to_vec());
    scene.server.on_each(REVENUES, &[Reply::html("<p>maintenance"), good]);
    let failure = scene.failure("sec_facts", &json!({"concept": "Revenues"}));
    assert!(matches!(failure, ToolFailure::HtmlInsteadOfJson { .. }), "{failure:?}");
    assert!(scene.ask("sec_facts", &json!({"concept": "Revenues"})).is_ok());
    // What was good before is kept.
    assert_eq!((scene.server.count(TICKERS), scene.server.count(REVENUES)), (1, 2));
}

#[test]
fn a_damaged_cache_is_only_slower() {
    let scene = Scene::new();
    scene.ask("sec_company", &json!({})).unwrap();
    let day = scene.directory.path().join("20250303");
    let file = std::fs::read_dir(&day).unwrap().next().unwrap().unwrap().path();
    let mut bytes = std::fs::read(&file).unwrap();
    bytes.truncate(bytes.len() - 3);
    std::fs::write(&file, bytes).unwrap();
    assert_eq!(scene.json("sec_company", &json!({}))["ticker"], "MRBT");
    assert_eq!(scene.server.count(TICKERS), 2);
    assert_eq!(std::fs::read_dir(&day).unwrap().count(), 1);
}

#[test]
fn a_server_that_is_busy_or_cuts_its_answer_is_asked_again() {
    let whole = || Reply::json(include_bytes!("../fixtures/company_tickers.json").to_vec());
    let busy = |seconds: &str| Reply::new(429, "text/plain", "busy").header("retry-after", seconds);
    for (name, first, slept) in [
        ("429 with a time", busy("7"), 7),
        ("503", Reply::new(503, "text/html", "<html>"), 1),
        ("cut", whole().manner(Manner::Cut), 1),
        ("cut and packed", whole().manner(Manner::CutGzip), 1),
    ] {
        let scene = Scene::new();
        scene.server.on_each(TICKERS, &[first, whole().manner(Manner::Gzip)]);
        assert_eq!(scene.json("sec_company", &json!({}))["ticker"], "MRBT", "{name}");
        assert_eq!(*scene.time.slept.lock().unwrap(), [Duration::from_secs(slept)], "{name}");
    }
    let scene = Scene::new();
    scene.server.on(TICKERS, whole().manner(Manner::Chunked));
    assert_eq!(scene.json("sec_company", &json!({}))["ticker"], "MRBT");
}

#[test]
fn a_server_that_stays_busy_is_left_alone_with_the_cause() {
    let scene = Scene::new();
    scene.server.on(TICKERS, Reply::new(503, "text/plain", "x"));
    let failure = scene.failure("sec_company", &json!({}));
    assert!(matches!(failure, ToolFailure::Unavailable { status: 503, .. }), "{failure:?}");
    assert_eq!(scene.server.count(TICKERS), 3);
    scene.server.on(TICKERS, Reply::json("{\"a\":1}").manner(Manner::Cut));
    let failure = scene.failure("sec_company", &json!({}));
    assert!(matches!(failure, ToolFailure::CutBody { .. }), "{failure:?}");
}

#[test]
fn whoever_cancels_does_not_wait() {
    let scene = Scene::new();
    scene.time.cancelled.store(true, Ordering::SeqCst);
    assert_eq!(scene.failure("sec_company", &json!({})), ToolFailure::Cancelled);
    assert_eq!(scene.server.seen().len(), 0);
}

#[test]
fn ten_requests_a_second_are_shared_by_all_threads() {
    let scene = Arc::new(Scene::new());
    let threads: Vec<_> = (0..5)
        .map(|_| {
            let scene = Arc::clone(&scene);
            std::thread::spawn(move || {
                for _ in 0..5 {
                    let args = serde_json::Map::new();
                    let tool = ToolUse {
                        name: "sec_company".to_owned(),
                        args,
                        state: RoutingState::default(),
                    };
                    perform(&tool, &scene.settings, &mut Cache::none()).unwrap();
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    // 25 requests at ten in 1.1 seconds need at least two more windows, whoever made them.
    assert_eq!(scene.server.count(TICKERS), 25);
    let turn = scene.settings.sec_pace.reserve(Duration::ZERO);
    assert!(turn >= Duration::from_millis(2200), "{turn:?}");
}

#[test]
fn every_wrong_answer_has_its_own_cause() {
    let scene = Scene::new();
    let check = |reply: Reply, fits: fn(&ToolFailure) -> bool| {
        scene.server.on(TICKERS, reply);
        let failure = scene.failure("sec_company", &json!({}));
        assert!(fits(&failure), "{failure:?}");
        for lang in [Lang::En, Lang::Ko] {
            let record = failure.record(lang);
            assert!(!record.cause.is_empty() && !record.next.is_empty());
        }
    };
    check(Reply::json("{\"0\": "), |f| matches!(f, ToolFailure::CutBody { .. }));
    check(Reply::json("{nonsense}"), |f| matches!(f, ToolFailure::NotJson { .. }));
    check(Reply::html("<!doctype html><p>blocked"), |f| {
        matches!(f, ToolFailure::HtmlInsteadOfJson { .. })
    });
    check(Reply::json("[1,2]"), |f| matches!(f, ToolFailure::WrongShape { .. }));
    check(Reply::json("{\"0\":{\"cik_str\":\"x\",\"ticker\":1,\"title\":null}}"), |f| {
        matches!(f, ToolFailure::WrongShape { .. })
    });
    check(Reply::json(" \n"), |f| matches!(f, ToolFailure::Empty { .. }));
    check(Reply::new(403, "text/html", "no"), |f| {
        matches!(f, ToolFailure::Refused { status: 403, .. })
    });
    check(Reply::new(404, "text/plain", "no"), |f| matches!(f, ToolFailure::NotFound { .. }));
    check(Reply::json(vec![b' '; 33 << 20]).manner(Manner::Gzip), |f| {
        matches!(f, ToolFailure::TooLarge { .. })
    });
    check(Reply::redirect(TICKERS), |f| matches!(f, ToolFailure::TooManyRedirects { .. }));
    check(Reply::redirect("ftp://x.example/"), |f| matches!(f, ToolFailure::BadUrl { .. }));
    check(Reply::redirect("http://127.0.0.1:1/"), |f| {
        matches!(f, ToolFailure::PrivateAddress { .. })
    });
    scene.server.on(
        CHART,
        Reply::json(r#"{"chart":{"result":[{"meta":{"symbol":"OTHER"},"indicators":{}}]}}"#),
    );
    assert!(matches!(scene.failure("yf_prices", &json!({})), ToolFailure::WrongShape { .. }));
}
