//! Statements from Yahoo's fundamentals-timeseries: one list of values for each field. A field that the
//! source does not have is absent, and sums are checked where the statement has their parts.

use std::collections::BTreeMap;

use hast_flow::tools::ToolFailure;
use hast_flow::tools::args::{Period, Statement};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What `yf_financials` answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Statements {
    pub ticker: String,
    pub currency: Option<String>,
    pub statement: Statement,
    pub period: Period,
    pub periods: Vec<Reported>,
}

/// The values of a period, by their names.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Reported {
    pub end: String,
    pub values: BTreeMap<String, Value>,
    /// Sums whose parts are all there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<SumCheck>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SumCheck {
    pub sum: &'static str,
    pub holds: bool,
    /// What the source says, less what its parts come to.
    pub difference: f64,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Answer {
    pub timeseries: Series,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Series {
    #[serde(default)]
    pub result: Option<Vec<Map<String, Value>>>,
    #[serde(default)]
    pub error: Option<Refusal>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Refusal {
    #[serde(default)]
    pub description: String,
}

const INCOME: &[&str] = &[
    "TotalRevenue",
    "CostOfRevenue",
    "GrossProfit",
    "ResearchAndDevelopment",
    "SellingGeneralAndAdministration",
    "OperatingExpense",
    "OperatingIncome",
    "InterestExpense",
    "PretaxIncome",
    "TaxProvision",
    "NetIncome",
    "BasicEPS",
    "DilutedEPS",
    "EBIT",
    "EBITDA",
];
const BALANCE: &[&str] = &[
    "TotalAssets",
    "CurrentAssets",
    "CashAndCashEquivalents",
    "AccountsReceivable",
    "Inventory",
    "TotalLiabilitiesNetMinorityInterest",
    "CurrentLiabilities",
    "TotalDebt",
    "LongTermDebt",
    "TotalEquityGrossMinorityInterest",
    "StockholdersEquity",
    "MinorityInterest",
    "RetainedEarnings",
    "OrdinarySharesNumber",
];
const CASHFLOW: &[&str] = &[
    "OperatingCashFlow",
    "InvestingCashFlow",
    "FinancingCashFlow",
    "CapitalExpenditure",
    "FreeCashFlow",
    "NetIncomeFromContinuingOperations",
    "DepreciationAndAmortization",
    "CashDividendsPaid",
    "RepurchaseOfCapitalStock",
    "BeginningCashPosition",
    "ChangesInCash",
    "EffectOfExchangeRateChanges",
    "EndCashPosition",
];

/// A whole and its parts, each with its sign. Parts that need not be there count only where they are.
type Sum = (&'static str, &'static str, &'static [(&'static str, f64)], &'static [&'static str]);

const SUMS: &[Sum] = &[
    (
        "grossProfit = totalRevenue - costOfRevenue",
        "grossProfit",
        &[("totalRevenue", 1.0), ("costOfRevenue", -1.0)],
        &[],
    ),
    (
        "netIncome = pretaxIncome - taxProvision",
        "netIncome",
        &[("pretaxIncome", 1.0), ("taxProvision", -1.0)],
        &[],
    ),
    (
        "totalAssets = totalLiabilitiesNetMinorityInterest + totalEquityGrossMinorityInterest",
        "totalAssets",
        &[("totalLiabilitiesNetMinorityInterest", 1.0), ("totalEquityGrossMinorityInterest", 1.0)],
        &[],
    ),
    (
        "freeCashFlow = operatingCashFlow + capitalExpenditure",
        "freeCashFlow",
        &[("operatingCashFlow", 1.0), ("capitalExpenditure", 1.0)],
        &[],
    ),
    (
        "endCashPosition = beginningCashPosition + changesInCash + effectOfExchangeRateChanges",
        "endCashPosition",
        &[("beginningCashPosition", 1.0), ("changesInCash", 1.0)],
        &["effectOfExchangeRateChanges"],
    ),
];

/// Sources round; a sum that is off by more is told.
const ROUNDING: f64 = 0.001;

/// The types to ask for, as the address names them.
pub fn types(statement: Statement, period: Period) -> String {
    let fields = fields(statement);
    fields.iter().map(|field| format!("{}{field}", prefix(period))).collect::<Vec<_>>().join(",")
}

fn fields(statement: Statement) -> &'static [&'static str] {
    match statement {
        Statement::Income => INCOME,
        Statement::Balance => BALANCE,
        Statement::Cashflow => CASHFLOW,
    }
}

fn prefix(period: Period) -> &'static str {
    match period {
        Period::Annual => "annual",
        Period::Quarterly => "quarterly",
    }
}

/// `TotalRevenue` as an answer names it: `totalRevenue`; what is all capitals becomes small.
fn named(field: &str) -> String {
    if field.chars().all(|c| c.is_ascii_uppercase()) {
        return field.to_ascii_lowercase();
    }
    let mut chars = field.chars();
    let first = chars.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(chars).collect()
}

pub fn statements(
    answer: &Answer,
    ticker: &str,
    statement: Statement,
    period: Period,
    url: &str,
) -> Result<Statements, ToolFailure> {
    let no_data = |why: &str| ToolFailure::NoData { url: url.to_owned(), why: why.to_owned() };
    if let Some(error) = &answer.timeseries.error {
        return Err(no_data(&error.description));
    }
    let mut periods: BTreeMap<String, Reported> = BTreeMap::new();
    let mut currency = None;
    for field in fields(statement) {
        let list = format!("{}{field}", prefix(period));
        let lists = answer.timeseries.result.iter().flatten();
        let rows = lists.filter_map(|series| series.get(&list)?.as_array()).flatten();
        for row in rows {
            let end = row.get("asOfDate").and_then(Value::as_str);
            let raw = row.get("reportedValue").and_then(|value| value.get("raw"));
            let (Some(end), Some(raw)) = (end, raw.filter(|raw| raw.is_number())) else { continue };
            let told = row.get("currencyCode").and_then(Value::as_str);
            currency = currency.or(told.map(str::to_owned));
            let reported = periods.entry(end.to_owned()).or_default();
            reported.values.insert(named(field), whole(raw));
        }
    }
    if periods.is_empty() {
        return Err(no_data("the source has no statement of this kind"));
    }
    let periods = periods.into_iter().map(|(end, reported)| {
        let checks = checks(&reported.values);
        Reported { end, checks, ..reported }
    });
    let (ticker, periods) = (ticker.to_owned(), periods.collect());
    Ok(Statements { ticker, currency, statement, period, periods })
}

/// Yahoo writes whole numbers as `6.896E8`.
fn whole(raw: &Value) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match raw.as_f64() {
        Some(number) if number.fract() == 0.0 && number.abs() < EXACT => {
            format!("{number:.0}").parse::<i64>().map_or_else(|_| raw.clone(), Value::from)
        }
        _ => raw.clone(),
    }
}

fn checks(values: &BTreeMap<String, Value>) -> Vec<SumCheck> {
    let number = |name: &str| values.get(name).and_then(Value::as_f64);
    let check = |&(sum, whole, parts, more): &Sum| {
        let whole = number(whole)?;
        let mut total = 0.0;
        for (part, sign) in parts {
            total += number(part)? * sign;
        }
        total += more.iter().filter_map(|part| number(part)).sum::<f64>();
        let difference = whole - total;
        let holds = difference.abs() <= whole.abs().max(total.abs()) * ROUNDING;
        Some(SumCheck { sum, holds, difference })
    };
    SUMS.iter().filter_map(check).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn series(name: &str, values: &[(&str, Value)]) -> Value {
        let rows: Vec<Value> = values
            .iter()
            .map(|(end, raw)| {
                json!({"asOfDate": end, "currencyCode": "USD", "reportedValue": {"raw": raw}})
            })
            .collect();
        json!({"meta": {"type": [name]}, "timestamp": [1], name: rows})
    }

    fn read(result: &Value, statement: Statement) -> Result<Statements, ToolFailure> {
        let answer = json!({"timeseries": {"result": result, "error": null}});
        let answer = serde_json::from_value(answer).unwrap();
        statements(&answer, "MRBT", statement, Period::Annual, "https://x")
    }

    #[test]
    fn a_field_that_the_source_does_not_have_is_absent() {
        let year = "2024-12-31";
        let result = json!([
            series("annualTotalRevenue", &[(year, json!(6.896e8)), ("2023-12-31", json!(5.884e8))]),
            series("annualNetIncome", &[(year, json!(83_900_000))]),
            {"meta": {"type": ["annualEBIT"]}},
            series("annualDilutedEPS", &[(year, json!(null)), ("2023-12-31", json!(1.27))]),
        ]);
        let found = read(&result, Statement::Income).unwrap();
        let [before, last] = &found.periods[..] else { panic!("{found:?}") };
        assert_eq!((before.end.as_str(), last.end.as_str()), ("2023-12-31", year));
        assert_eq!(last.values["totalRevenue"], json!(689_600_000));
        assert_eq!(before.values["dilutedEPS"], json!(1.27));
        for name in ["ebit", "dilutedEPS", "costOfRevenue"] {
            assert!(!last.values.contains_key(name), "{name} is not 0, it is not there");
        }
        assert!(!before.values.contains_key("netIncome"));
        assert_eq!(found.currency.as_deref(), Some("USD"));
        assert!(last.checks.is_empty(), "a sum needs its parts");
    }

    #[test]
    fn sums_are_checked_where_the_statement_has_their_parts() {
        let year = "2024-12-31";
        let with = |gross: i64| {
            json!([
                series("annualTotalRevenue", &[(year, json!(1000))]),
                series("annualCostOfRevenue", &[(year, json!(600))]),
                series("annualGrossProfit", &[(year, json!(gross))]),
            ])
        };
        let right = read(&with(400), Statement::Income).unwrap().periods.remove(0).checks;
        assert!(right.len() == 1 && right[0].holds, "{right:?}");
        let wrong = read(&with(500), Statement::Income).unwrap().periods.remove(0).checks;
        assert!(!wrong[0].holds && wrong[0].difference > 99.0, "{wrong:?}");
    }

    #[test]
    fn nothing_at_all_is_a_cause() {
        assert!(read(&json!([]), Statement::Balance).is_err());
        assert!(read(&json!([{"meta": {}}]), Statement::Cashflow).is_err());
    }
}
