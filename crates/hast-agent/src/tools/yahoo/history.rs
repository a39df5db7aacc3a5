//! The price history of `v8/finance/chart`: columns of numbers that may have holes.

use std::collections::BTreeMap;

use hast_flow::tools::ToolFailure;
use hast_flow::tools::args::Interval;
use hast_flow::tools::request::Span;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::Offset;
use serde::{Deserialize, Serialize};
use serde_json::Number;

#[derive(Clone, Debug, Deserialize)]
pub struct Answer {
    pub chart: Chart,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Chart {
    #[serde(default)]
    pub result: Option<Vec<Found>>,
    #[serde(default)]
    pub error: Option<Refusal>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Refusal {
    #[serde(default)]
    pub description: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Found {
    pub meta: Meta,
    #[serde(default)]
    pub timestamp: Vec<i64>,
    #[serde(default)]
    pub events: Events,
    pub indicators: Indicators,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    pub symbol: String,
    #[serde(default)]
    pub currency: Option<String>,
    #[serde(default)]
    pub exchange_name: Option<String>,
    #[serde(default)]
    pub gmtoffset: i32,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Events {
    pub dividends: BTreeMap<String, Dividend>,
    pub splits: BTreeMap<String, Split>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Dividend {
    pub amount: Number,
    pub date: i64,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Split {
    pub date: i64,
    pub numerator: Number,
    pub denominator: Number,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Indicators {
    #[serde(default)]
    pub quote: Vec<Quote>,
    #[serde(default)]
    pub adjclose: Vec<Adjusted>,
}

type Column = Vec<Option<Number>>;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Quote {
    pub open: Column,
    pub high: Column,
    pub low: Column,
    pub close: Column,
    pub volume: Column,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Adjusted {
    pub adjclose: Column,
}

/// What `yf_prices` answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct History {
    pub ticker: String,
    pub currency: Option<String>,
    pub exchange: Option<String>,
    pub interval: Interval,
    pub prices: Vec<Price>,
    pub dividends: Vec<Paid>,
    pub splits: Vec<Divided>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Price {
    pub date: String,
    pub open: Option<Number>,
    pub high: Option<Number>,
    pub low: Option<Number>,
    pub close: Number,
    pub adjusted_close: Option<Number>,
    pub volume: Option<Number>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Paid {
    pub date: String,
    pub amount: Number,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Divided {
    pub date: String,
    pub ratio: String,
}

/// The history; days without a closing price are no days, and days outside the span neither.
pub fn read(
    answer: Answer,
    ticker: &str,
    span: Span,
    interval: Interval,
    url: &str,
) -> Result<History, ToolFailure> {
    let no_data = |why: &str| ToolFailure::NoData { url: url.to_owned(), why: why.to_owned() };
    if let Some(error) = answer.chart.error {
        return Err(no_data(&error.description));
    }
    let found = answer.chart.result.unwrap_or_default().into_iter().next();
    let found = found.ok_or_else(|| no_data("the result is empty"))?;
    if !found.meta.symbol.eq_ignore_ascii_case(ticker) {
        let what = format!("it is about {}", found.meta.symbol);
        return Err(ToolFailure::WrongShape { url: url.to_owned(), what });
    }
    let offset = Offset::from_seconds(found.meta.gmtoffset).unwrap_or(Offset::UTC);
    let day = |second: i64| day(second, offset);
    let quote = found.indicators.quote.into_iter().next().unwrap_or_default();
    let adjusted = found.indicators.adjclose.into_iter().next().unwrap_or_default();
    let mut prices: BTreeMap<Date, Price> = BTreeMap::new();
    for (row, second) in found.timestamp.iter().enumerate() {
        let at = |column: &Column| column.get(row).cloned().flatten();
        let (Some(date), Some(close)) = (day(*second), at(&quote.close)) else { continue };
        if !within(date, span) {
            continue;
        }
        let price = Price {
            date: date.to_string(),
            open: at(&quote.open),
            high: at(&quote.high),
            low: at(&quote.low),
            close,
            adjusted_close: at(&adjusted.adjclose),
            volume: at(&quote.volume),
        };
        prices.insert(date, price);
    }
    if prices.is_empty() {
        return Err(no_data("there is no price in this span"));
    }
    let dividends = found.events.dividends.into_values();
    let splits = found.events.splits.into_values();
    let mut history = History {
        ticker: found.meta.symbol,
        currency: found.meta.currency,
        exchange: found.meta.exchange_name,
        interval,
        prices: prices.into_values().collect(),
        dividends: dividends
            .filter_map(|paid| {
                Some(Paid { date: day(paid.date)?.to_string(), amount: paid.amount })
            })
            .collect(),
        splits: splits
            .filter_map(|split| {
                let ratio = format!("{}:{}", split.numerator, split.denominator);
                Some(Divided { date: day(split.date)?.to_string(), ratio })
            })
            .collect(),
    };
    history.dividends.sort_by(|a, b| a.date.cmp(&b.date));
    history.splits.sort_by(|a, b| a.date.cmp(&b.date));
    Ok(history)
}

fn day(second: i64, offset: Offset) -> Option<Date> {
    Timestamp::from_second(second).ok().map(|at| offset.to_datetime(at).date())
}

fn within(date: Date, span: Span) -> bool {
    match span {
        Span::Days { start, end } => start.date() <= date && date <= end.date(),
        Span::Range(_) => true,
    }
}
