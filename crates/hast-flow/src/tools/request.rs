//! A call of a tool, checked against its schema and completed from the session's `state.json`.

use std::cell::{Cell, RefCell};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

use crate::docs::session::{DataSource, RoutingState};
use crate::formats::json;
use crate::formats::shape::{Shape, Unknown};
use crate::formats::source::Source;
use crate::time::Day;
use crate::tools::args::{
    ChartArgs, FilingForm, Interval, Period, Range, SecCompanyArgs, SecFactsArgs, SecFilingArgs,
    SecSubmissionsArgs, Section, Statement, WebFetchArgs, WebSearchArgs, YfFinancialsArgs,
    YfPricesArgs, YfQuoteArgs,
};
use crate::tools::{Tool, ToolFailure};
use crate::words::Lang;

/// The arguments of a call as JSON has them.
pub type Args = Map<String, Json>;

/// What a tool is to do, with nothing left open.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    SecCompany(CompanyName),
    SecSubmissions {
        ticker: String,
        forms: Vec<String>,
        years: Years,
        limit: usize,
    },
    SecFiling {
        ticker: String,
        form: FilingForm,
        year: i32,
        quarter: Option<u32>,
        section: Option<Section>,
    },
    SecFacts {
        ticker: String,
        taxonomy: String,
        concept: String,
        unit: Option<String>,
        period: Period,
        years: Years,
    },
    YfPrices {
        ticker: String,
        span: Span,
        interval: Interval,
    },
    YfQuote {
        ticker: String,
    },
    YfFinancials {
        ticker: String,
        statement: Statement,
        period: Period,
    },
    WebSearch {
        query: String,
        limit: usize,
    },
    WebFetch {
        url: String,
        max_chars: usize,
    },
    Chart(Box<ChartArgs>),
}

/// How a company is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompanyName {
    Ticker(String),
    Name(String),
}

/// Years from and to, each included; nothing is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Years {
    pub from: Option<i32>,
    pub to: Option<i32>,
}

impl Years {
    pub fn include(self, year: i32) -> bool {
        self.from.is_none_or(|from| from <= year) && self.to.is_none_or(|to| year <= to)
    }
}

/// The days of a price history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    Days { start: Day, end: Day },
    Range(Range),
}

/// Everything that keeps a planned call of a source from being performed, in words for the planner.
pub fn findings(name: &str, args: &Args, source: DataSource, state: &RoutingState) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(tool) = Tool::named(name)
        && tool.source() != Some(source)
    {
        let known: Vec<&str> = of_source(source).map(Tool::name).collect();
        found
            .push(format!("{name} is not a tool of this source; use one of: {}", known.join(", ")));
    }
    match resolve(name, args, state) {
        Ok(_) => {}
        Err(ToolFailure::BadArguments { findings, .. }) => {
            found.extend(findings.into_iter().map(|finding| format!("{name}: {finding}")));
        }
        Err(failure) => {
            found.push(format!("{}; {}", failure.what(Lang::En), failure.next(Lang::En)));
        }
    }
    found
}

/// The tools that a task with this source may call.
pub fn of_source(source: DataSource) -> impl Iterator<Item = Tool> {
    Tool::ALL.into_iter().filter(move |tool| tool.source() == Some(source))
}

/// Checks a call and fills what it omits from the session's state.
pub fn resolve(name: &str, args: &Args, state: &RoutingState) -> Result<Request, ToolFailure> {
    let tool =
        Tool::named(name).ok_or_else(|| ToolFailure::UnknownTool { name: name.to_owned() })?;
    let call = Call { tool, args, state, wrong: RefCell::default(), early: Cell::default() };
    let request = call.request()?;
    call.verdict(request)
}

const MAX_QUERY: usize = 400;
const MAX_URL: usize = 4096;
const MAX_SERIES: usize = 20;
const MAX_POINTS: usize = 20_000;

/// A call that is looked at. Its rules note what is wrong and go on, so that all is found at once.
struct Call<'a> {
    tool: Tool,
    args: &'a Args,
    state: &'a RoutingState,
    wrong: RefCell<Vec<String>>,
    early: Cell<Option<(i32, i32)>>,
}

impl Call<'_> {
    fn request(&self) -> Result<Request, ToolFailure> {
        match self.tool {
            Tool::SecCompany => self.company(),
            Tool::SecSubmissions => self.submissions(),
            Tool::SecFiling => self.filing(),
            Tool::SecFacts => self.facts(),
            Tool::YfPrices => self.prices(),
            Tool::YfQuote => {
                let args: YfQuoteArgs = self.read()?;
                Ok(Request::YfQuote { ticker: self.ticker(args.ticker.as_ref()) })
            }
            Tool::YfFinancials => {
                let args: YfFinancialsArgs = self.read()?;
                let period = args.period.unwrap_or(Period::Annual);
                let ticker = self.ticker(args.ticker.as_ref());
                Ok(Request::YfFinancials { ticker, statement: args.statement, period })
            }
            Tool::WebSearch => {
                let args: WebSearchArgs = self.read()?;
                let query = args.query.trim().to_owned();
                self.require(
                    !query.is_empty() && query.chars().count() <= MAX_QUERY,
                    "query",
                    "1 to 400 characters",
                );
                Ok(Request::WebSearch { query, limit: size(args.limit, 10) })
            }
            Tool::WebFetch => {
                let args: WebFetchArgs = self.read()?;
                let web = args.url.starts_with("http://") || args.url.starts_with("https://");
                self.require(web && args.url.len() <= MAX_URL, "url", "an http or https address");
                Ok(Request::WebFetch { url: args.url, max_chars: size(args.max_chars, 200_000) })
            }
            Tool::Chart => {
                let args: ChartArgs = self.read()?;
                let points: usize = args.series.iter().map(|series| series.points.len()).sum();
                self.require(args.series.len() <= MAX_SERIES, "series", "at most 20 series");
                self.require(points <= MAX_POINTS, "series", "at most 20000 points");
                Ok(Request::Chart(Box::new(args)))
            }
        }
    }

    /// Nothing that was noted, or all of it.
    fn verdict(self, request: Request) -> Result<Request, ToolFailure> {
        let mut findings = self.wrong.into_inner();
        match (self.early.get(), findings.is_empty()) {
            (None, true) => return Ok(request),
            (Some((year, min_year)), true) => {
                return Err(ToolFailure::YearTooEarly { year, min_year });
            }
            (Some((year, min_year)), false) => {
                findings.push(format!("the year {year} is before min_year {min_year}"));
            }
            (None, false) => {}
        }
        Err(ToolFailure::BadArguments { tool: self.tool.name(), findings })
    }

    /// The arguments as their type, or everything that is wrong with them.
    fn read<T: DeserializeOwned>(&self) -> Result<T, ToolFailure> {
        let value = Json::Object(self.args.clone());
        let text = value.to_string();
        let source = Source::new("args", &text);
        let bad = |findings| ToolFailure::BadArguments { tool: self.tool.name(), findings };
        let words = |finding: &crate::formats::diagnostic::Finding| {
            format!("{}; {}", finding.what(Lang::En), finding.next(Lang::En))
        };
        let parsed = json::read(&source).map_err(|wrong| bad(vec![words(&wrong.finding)]))?;
        let shape = Shape::compile(&self.tool.schema()).unwrap_or_default();
        let wrong = shape.check(&source, &parsed.root, Unknown::Reject);
        if !wrong.is_empty() {
            return Err(bad(wrong.iter().map(|wrong| words(&wrong.finding)).collect()));
        }
        serde_json::from_value(value).map_err(|error| bad(vec![error.to_string()]))
    }

    fn company(&self) -> Result<Request, ToolFailure> {
        let args: SecCompanyArgs = self.read()?;
        let name = match (args.ticker, args.company, &self.state.ticker, &self.state.company) {
            (Some(ticker), ..) => CompanyName::Ticker(self.form(&ticker)),
            (None, Some(name), ..) => CompanyName::Name(name),
            (None, None, Some(ticker), _) => CompanyName::Ticker(self.form(ticker)),
            (None, None, None, Some(name)) => CompanyName::Name(name.clone()),
            (None, None, None, None) => {
                self.missing("ticker");
                CompanyName::Ticker(String::new())
            }
        };
        Ok(Request::SecCompany(name))
    }

    fn submissions(&self) -> Result<Request, ToolFailure> {
        let args: SecSubmissionsArgs = self.read()?;
        let years = self.years(args.from_year, args.to_year, None);
        let ticker = self.ticker(args.ticker.as_ref());
        let limit = size(args.limit, 100);
        Ok(Request::SecSubmissions { ticker, forms: args.forms, years, limit })
    }

    fn filing(&self) -> Result<Request, ToolFailure> {
        let args: SecFilingArgs = self.read()?;
        let form = args.form.unwrap_or(FilingForm::Annual);
        let year = args.year.or(self.state.year);
        match year {
            Some(year) => self.not_before(year),
            None => self.missing("year"),
        }
        let quarter_fits = args.quarter.is_none() || form == FilingForm::Quarterly;
        self.require(quarter_fits, "quarter", "a quarter only with the form 10-Q");
        let there = args.section.is_none_or(|section| section.place(form).is_some());
        self.require(there, "section", "a section that this form has");
        Ok(Request::SecFiling {
            ticker: self.ticker(args.ticker.as_ref()),
            form,
            year: year.unwrap_or_default(),
            quarter: args.quarter,
            section: args.section,
        })
    }

    fn facts(&self) -> Result<Request, ToolFailure> {
        let args: SecFactsArgs = self.read()?;
        let word = |text: &str| {
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            !text.is_empty() && text.len() <= 200 && text.chars().all(plain)
        };
        let taxonomy = args.taxonomy.unwrap_or_else(|| "us-gaap".to_owned());
        self.require(word(&args.concept), "concept", "one word of letters, like Revenues");
        self.require(word(&taxonomy), "taxonomy", "us-gaap, ifrs-full, dei or srt");
        Ok(Request::SecFacts {
            ticker: self.ticker(args.ticker.as_ref()),
            taxonomy,
            concept: args.concept,
            unit: args.unit,
            period: args.period.unwrap_or(Period::Annual),
            years: self.years(args.from_year, args.to_year, self.state.year),
        })
    }

    fn prices(&self) -> Result<Request, ToolFailure> {
        let args: YfPricesArgs = self.read()?;
        let ticker = self.ticker(args.ticker.as_ref());
        let interval = args.interval.unwrap_or(Interval::Day);
        let days = |year: i32| Some((day(year, 1, 1)?, day(year, 12, 31)?));
        let span = match (args.start, args.end, args.range) {
            (Some(start), Some(end), None) => Span::Days { start, end },
            (None, None, Some(range)) => Span::Range(range),
            (None, None, None) => match self.state.year.and_then(days) {
                Some((start, end)) => Span::Days { start, end },
                None => Span::Range(Range::Year1),
            },
            _ => {
                self.require(false, "start", "given with end, or left out for a range");
                Span::Range(Range::Year1)
            }
        };
        if let Span::Days { start, end } = span {
            self.require(start <= end, "start", "a day before the end");
            self.not_before(start.date().year().into());
        }
        Ok(Request::YfPrices { ticker, span, interval })
    }

    fn ticker(&self, given: Option<&String>) -> String {
        match given.or(self.state.ticker.as_ref()) {
            Some(ticker) => self.form(ticker),
            None => {
                self.missing("ticker");
                String::new()
            }
        }
    }

    fn form(&self, ticker: &str) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || ".-^=".contains(c);
        let fits = (1..=20).contains(&ticker.len()) && ticker.chars().all(plain);
        self.require(fits, "ticker", "1 to 20 letters or digits, like AVGO or 005930.KS");
        ticker.to_ascii_uppercase()
    }

    /// An explicit year before `min_year` is an error; an omitted one is `min_year` itself.
    fn years(&self, from: Option<i32>, to: Option<i32>, last: Option<i32>) -> Years {
        for year in [from, to].into_iter().flatten() {
            self.not_before(year);
        }
        let years = Years { from: from.or(self.state.min_year), to: to.or(last) };
        let ordered = years.from.zip(years.to).is_none_or(|(from, to)| from <= to);
        self.require(ordered, "from_year", "a year that is not after to_year");
        years
    }

    fn not_before(&self, year: i32) {
        if let Some(min_year) = self.state.min_year.filter(|min_year| year < *min_year) {
            self.early.set(Some((year, min_year)));
        }
    }

    fn require(&self, holds: bool, name: &str, expected: &str) {
        if !holds {
            self.wrong.borrow_mut().push(format!("`{name}` must be {expected}"));
        }
    }

    fn missing(&self, name: &str) {
        let finding = format!("`{name}` is missing, and state.json has none; add it");
        self.wrong.borrow_mut().push(finding);
    }
}

fn size(given: Option<u32>, otherwise: usize) -> usize {
    given.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(otherwise)
}

fn day(year: i32, month: i8, day: i8) -> Option<Day> {
    jiff::civil::Date::new(i16::try_from(year).ok()?, month, day).ok().map(Day::new)
}
