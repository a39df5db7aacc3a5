//! The list of a company's filings, which EDGAR keeps as columns.

use hast_flow::tools::ToolFailure;
use hast_flow::tools::args::FilingForm;
use hast_flow::tools::request::Years;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::tools::below;

/// `submissions/CIK##########.json`.
#[derive(Clone, Debug, Deserialize)]
pub struct Submissions {
    pub name: String,
    #[serde(default)]
    pub tickers: Vec<String>,
    #[serde(default, rename = "sicDescription")]
    pub industry: Option<String>,
    #[serde(default, rename = "fiscalYearEnd")]
    pub fiscal_year_end: Option<String>,
    pub cik: serde_json::Value,
    pub filings: Filings,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Filings {
    pub recent: Columns,
    #[serde(default)]
    pub files: Vec<Older>,
}

/// A column each; the older lists are only this.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Columns {
    pub accession_number: Vec<String>,
    pub filing_date: Vec<String>,
    pub report_date: Vec<String>,
    pub form: Vec<String>,
    pub primary_document: Vec<String>,
}

/// Where older filings are listed.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Older {
    pub name: String,
    #[serde(default)]
    pub filing_from: String,
    #[serde(default)]
    pub filing_to: String,
}

impl Older {
    pub fn last_year(&self) -> Option<i32> {
        year_of(&self.filing_to)
    }

    pub fn covers(&self, year: i32) -> bool {
        let from = year_of(&self.filing_from);
        from.is_none_or(|from| from <= year) && self.last_year().is_none_or(|to| year <= to)
    }

    /// A file beside the first one and nothing else.
    pub fn is_plain(&self) -> bool {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        !self.name.starts_with('.') && self.name.ends_with(".json") && self.name.chars().all(plain)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Filing {
    // The first fields give the order: newest first.
    filed: String,
    accession: String,
    form: String,
    period: String,
    document: String,
}

/// Which report is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    pub form: FilingForm,
    pub year: i32,
    pub quarter: Option<u32>,
}

#[derive(Clone, Debug)]
pub struct List {
    name: String,
    tickers: Vec<String>,
    industry: Option<String>,
    fiscal_year_end: Option<String>,
    cik: String,
    filings: Vec<Filing>,
}

/// What `sec_submissions` answers.
#[derive(Debug, Serialize)]
pub struct Printed<'a> {
    name: &'a str,
    cik: &'a str,
    tickers: &'a [String],
    industry: Option<&'a str>,
    fiscal_year_end: Option<&'a str>,
    filings: Vec<PrintedFiling<'a>>,
}

#[derive(Debug, Serialize)]
struct PrintedFiling<'a> {
    form: &'a str,
    filed: &'a str,
    period: Option<&'a str>,
    accession: &'a str,
    url: Option<String>,
}

impl List {
    pub fn read(answer: &Submissions, url: &str) -> Result<Self, ToolFailure> {
        let digits: String = match &answer.cik {
            serde_json::Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let cik = digits.trim_start_matches('0').parse::<u64>().map_err(|_| {
            ToolFailure::WrongShape { url: url.to_owned(), what: format!("cik is {digits}") }
        })?;
        let mut list = Self {
            name: answer.name.clone(),
            tickers: answer.tickers.clone(),
            industry: answer.industry.clone(),
            fiscal_year_end: answer.fiscal_year_end.clone(),
            cik: format!("{cik:010}"),
            filings: Vec::new(),
        };
        list.add(&answer.filings.recent, url)?;
        Ok(list)
    }

    pub fn add(&mut self, columns: &Columns, url: &str) -> Result<(), ToolFailure> {
        let rows = columns.accession_number.len();
        let lengths =
            [&columns.filing_date, &columns.report_date, &columns.form, &columns.primary_document];
        if lengths.iter().any(|column| column.len() != rows) {
            let what = "the columns of the filings have different lengths".to_owned();
            return Err(ToolFailure::WrongShape { url: url.to_owned(), what });
        }
        for row in 0..rows {
            self.filings.push(Filing {
                filed: columns.filing_date[row].clone(),
                accession: columns.accession_number[row].clone(),
                form: columns.form[row].clone(),
                period: columns.report_date[row].clone(),
                document: columns.primary_document[row].clone(),
            });
        }
        Ok(())
    }

    pub fn sort(&mut self) {
        self.filings.sort_by(|a, b| b.cmp(a));
        self.filings.dedup();
    }

    pub fn keep(&mut self, forms: &[String], years: Years, limit: usize) {
        self.filings.retain(|filing| {
            let form = forms.is_empty()
                || forms.iter().any(|form| form.eq_ignore_ascii_case(&filing.form));
            form && year_of(&filing.filed).is_some_and(|year| years.include(year))
        });
        self.filings.truncate(limit);
    }

    /// The report of a year: of several for the same period the first that was filed.
    pub fn find(&self, wanted: Wanted) -> Option<&Filing> {
        let mut reports: Vec<&Filing> = self
            .filings
            .iter()
            .filter(|filing| filing.form == wanted.form.name())
            .filter(|filing| year_of(&filing.period) == Some(wanted.year))
            .collect();
        reports.sort_by(|a, b| (&a.period, &a.filed).cmp(&(&b.period, &b.filed)));
        reports.dedup_by(|later, first| later.period == first.period);
        match wanted.quarter {
            None => reports.last().copied(),
            Some(quarter) => reports.get(usize::try_from(quarter).ok()?.checked_sub(1)?).copied(),
        }
    }

    pub fn printed(&self, www: &Url) -> Printed<'_> {
        let filings = self.filings.iter().map(|filing| PrintedFiling {
            form: &filing.form,
            filed: &filing.filed,
            period: Some(filing.period.as_str()).filter(|period| !period.is_empty()),
            accession: &filing.accession,
            url: filing.document_url(www, &self.cik).ok().map(String::from),
        });
        Printed {
            name: &self.name,
            cik: &self.cik,
            tickers: &self.tickers,
            industry: self.industry.as_deref(),
            fiscal_year_end: self.fiscal_year_end.as_deref(),
            filings: filings.collect(),
        }
    }
}

impl Filing {
    /// Where the document is. Its parts come from the answer, so they may not lead elsewhere.
    pub fn document_url(&self, www: &Url, cik: &str) -> Result<Url, ToolFailure> {
        let number: String = self.accession.chars().filter(char::is_ascii_digit).collect();
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
        let fits = !self.document.is_empty()
            && self.document.chars().all(plain)
            && self.document.split('/').all(|part| !part.is_empty() && !part.starts_with('.'));
        if number.len() != 18 || !fits {
            return Err(ToolFailure::WrongShape {
                url: self.accession.clone(),
                what: format!("the document is called `{}`", self.document),
            });
        }
        let cik = cik.trim_start_matches('0');
        let mut parts = vec!["Archives", "edgar", "data", cik, number.as_str()];
        parts.extend(self.document.split('/'));
        Ok(below(www, &parts))
    }

    /// What the text is, for whoever reads it alone.
    pub fn head(&self, company: &str, url: &str) -> String {
        format!(
            "<!-- {} -->\n\n",
            // Nothing in it ends the comment.
            format!(
                "{company}, {}, period {}, filed {}, {url}",
                self.form, self.period, self.filed
            )
            .replace(['<', '>', '\n'], " ")
        )
    }
}

/// The year of `2024-12-31`.
pub fn year_of(date: &str) -> Option<i32> {
    let year = date.get(..4)?;
    (date.as_bytes().get(4) == Some(&b'-')).then(|| year.parse().ok())?
}
