//! `company_tickers.json`: every company that files, with its number.

use std::collections::BTreeMap;

use hast_flow::tools::ToolFailure;
use hast_flow::tools::request::CompanyName;
use serde::{Deserialize, Serialize};

/// The file, as it is published: rows under numbers as keys.
pub type Listed = BTreeMap<String, Row>;

#[derive(Clone, Debug, Deserialize)]
pub struct Row {
    pub cik_str: u64,
    pub ticker: String,
    pub title: String,
}

/// What `sec_company` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Company {
    pub ticker: String,
    /// Ten digits.
    pub cik: String,
    pub name: String,
}

pub fn find(all: &Listed, name: &CompanyName) -> Result<Company, ToolFailure> {
    match name {
        CompanyName::Ticker(ticker) => {
            // Yahoo writes BRK-B, others BRK.B.
            let plain = |text: &str| text.to_ascii_uppercase().replace('.', "-");
            let wanted = plain(ticker);
            let row = all.values().find(|row| plain(&row.ticker) == wanted);
            row.map(company).ok_or_else(|| ToolFailure::UnknownTicker { ticker: ticker.clone() })
        }
        CompanyName::Name(name) => by_name(all, name)
            .map(company)
            .ok_or_else(|| ToolFailure::UnknownCompany { name: name.clone() }),
    }
}

/// The company of this name, or the only one whose name starts so.
fn by_name<'a>(all: &'a Listed, name: &str) -> Option<&'a Row> {
    let wanted = words(name);
    if wanted.is_empty() {
        return None;
    }
    let named: Vec<(&Row, Vec<String>)> =
        all.values().map(|row| (row, words(&row.title))).collect();
    let only = |fits: &dyn Fn(&[String]) -> bool| {
        let mut found = named.iter().filter(|(_, title)| fits(title)).map(|(row, _)| *row);
        let first = found.next()?;
        // One company may have several tickers.
        found.all(|other| other.cik_str == first.cik_str).then_some(first)
    };
    only(&|title| title == wanted).or_else(|| only(&|title| title.starts_with(&wanted)))
}

fn words(name: &str) -> Vec<String> {
    name.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

fn company(row: &Row) -> Company {
    Company {
        ticker: row.ticker.to_ascii_uppercase(),
        cik: format!("{:010}", row.cik_str),
        name: row.title.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed() -> Listed {
        serde_json::from_str(
            r#"{"0":{"cik_str":320,"ticker":"ABC","title":"ABC Holdings Inc."},
                "1":{"cik_str":321,"ticker":"ABD","title":"ABC Mining Corp"},
                "2":{"cik_str":99,"ticker":"XY-B","title":"Xylo PLC"},
                "3":{"cik_str":99,"ticker":"XY-A","title":"Xylo PLC"}}"#,
        )
        .unwrap()
    }

    #[test]
    fn a_ticker_is_found_in_either_spelling() {
        let find = |ticker: &str| find(&listed(), &CompanyName::Ticker(ticker.to_owned()));
        assert_eq!(find("abc").unwrap().cik, "0000000320");
        assert_eq!(find("XY.B").unwrap().name, "Xylo PLC");
        assert_eq!(find("NO"), Err(ToolFailure::UnknownTicker { ticker: "NO".to_owned() }));
    }

    #[test]
    fn a_name_must_mean_one_company() {
        let find = |name: &str| find(&listed(), &CompanyName::Name(name.to_owned()));
        assert_eq!(find("abc holdings").unwrap().ticker, "ABC");
        assert_eq!(find("Xylo").unwrap().cik, "0000000099");
        assert!(find("ABC").is_err());
        assert!(find("--").is_err());
    }
}
