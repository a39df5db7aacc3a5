//! EDGAR, the SEC's public archive: companies, filings and the facts in them.

pub mod companies;
pub mod facts;
pub mod filings;
pub mod sections;

use hast_flow::tools::ToolFailure;
use hast_flow::tools::args::Section;
use hast_flow::tools::request::{CompanyName, Years};
use url::Url;

use crate::tools::answer::document;
use crate::tools::below;
use crate::tools::markdown;
use crate::tools::net::charset::decode;
use crate::tools::net::{Ask, Fetcher};
use crate::tools::settings::Settings;

use companies::Company;
use filings::{Older, Wanted};

const MAX_JSON: u64 = 32 << 20;
const MAX_FILING: u64 = 64 << 20;

/// Older lists of filings that one use of a tool reads.
const MAX_OLDER: usize = 4;

pub(crate) fn company(
    name: &CompanyName,
    settings: &Settings,
    fetcher: &mut Fetcher<'_>,
) -> Result<Vec<u8>, ToolFailure> {
    document(&find(name, settings, fetcher)?)
}

pub(crate) fn submissions(
    ticker: &str,
    forms: &[String],
    years: Years,
    limit: usize,
    settings: &Settings,
    fetcher: &mut Fetcher<'_>,
) -> Result<Vec<u8>, ToolFailure> {
    let company = by_ticker(ticker, settings, fetcher)?;
    let needed = |older: &Older| {
        older.last_year().is_none_or(|last| years.from.is_none_or(|from| from <= last))
    };
    let mut list = listed(&company, settings, fetcher, &needed)?;
    list.keep(forms, years, limit);
    document(&list.printed(&settings.sec_www))
}

pub(crate) fn filing(
    ticker: &str,
    wanted: Wanted,
    section: Option<Section>,
    settings: &Settings,
    fetcher: &mut Fetcher<'_>,
) -> Result<Vec<u8>, ToolFailure> {
    let company = by_ticker(ticker, settings, fetcher)?;
    let recent = listed(&company, settings, fetcher, &|_| false)?;
    let filing = match recent.find(wanted) {
        Some(filing) => filing.clone(),
        None => {
            // A report is filed within a year after its period.
            let near = |older: &Older| older.covers(wanted.year) || older.covers(wanted.year + 1);
            let all = listed(&company, settings, fetcher, &near)?;
            all.find(wanted).cloned().ok_or(ToolFailure::NoFiling {
                form: wanted.form.name().to_owned(),
                year: wanted.year,
            })?
        }
    };
    let url = filing.document_url(&settings.sec_www, &company.cik)?;
    let page = fetcher.endpoint(&ask(url, MAX_FILING, settings)?)?;
    let text = markdown::whole(&decode(&page.body, &page.media), &page.found_at);
    let head = filing.head(&company.name, &page.url);
    match section {
        None => Ok(format!("{head}{text}").into_bytes()),
        Some(section) => {
            let missing = || ToolFailure::NoSection {
                section: section.name().to_owned(),
                url: page.url.clone(),
            };
            let place = section.place(wanted.form).ok_or_else(missing)?;
            let part = sections::find(&text, wanted.form, place).ok_or_else(missing)?;
            Ok(format!("{head}{part}").into_bytes())
        }
    }
}

pub(crate) fn facts(
    ticker: &str,
    asked: &facts::Asked,
    settings: &Settings,
    fetcher: &mut Fetcher<'_>,
) -> Result<Vec<u8>, ToolFailure> {
    let company = by_ticker(ticker, settings, fetcher)?;
    let cik = format!("CIK{}", company.cik);
    let file = format!("{}.json", asked.concept);
    let parts = ["api", "xbrl", "companyconcept", &*cik, &*asked.taxonomy, &*file];
    let url = below(&settings.sec_data, &parts);
    let shown = url.to_string();
    let concept: facts::Concept = match fetcher.json(&ask(url, MAX_JSON, settings)?) {
        Err(ToolFailure::NotFound { url }) => {
            return Err(ToolFailure::NoFacts { concept: asked.concept.clone(), url });
        }
        other => other?,
    };
    let series = facts::select(&concept, asked);
    if series.as_ref().is_none_or(|series| series.values.is_empty()) {
        return Err(ToolFailure::NoFacts { concept: asked.concept.clone(), url: shown });
    }
    document(&series)
}

fn find(
    name: &CompanyName,
    settings: &Settings,
    fetcher: &mut Fetcher<'_>,
) -> Result<Company, ToolFailure> {
    let url = below(&settings.sec_www, &["files", "company_tickers.json"]);
    let all: companies::Listed = fetcher.json(&ask(url, MAX_JSON, settings)?)?;
    companies::find(&all, name)
}

fn by_ticker(
    ticker: &str,
    settings: &Settings,
    fetcher: &mut Fetcher<'_>,
) -> Result<Company, ToolFailure> {
    find(&CompanyName::Ticker(ticker.to_owned()), settings, fetcher)
}

/// The filings of a company, with those older lists that are needed.
fn listed(
    company: &Company,
    settings: &Settings,
    fetcher: &mut Fetcher<'_>,
    needed: &dyn Fn(&Older) -> bool,
) -> Result<filings::List, ToolFailure> {
    let name = format!("CIK{}.json", company.cik);
    let url = below(&settings.sec_data, &["submissions", &*name]);
    let shown = url.to_string();
    let answer: filings::Submissions = fetcher.json(&ask(url, MAX_JSON, settings)?)?;
    let mut list = filings::List::read(&answer, &shown)?;
    let older = answer.filings.files.iter().filter(|older| older.is_plain() && needed(older));
    for older in older.take(MAX_OLDER) {
        let url = below(&settings.sec_data, &["submissions", &*older.name]);
        let shown = url.to_string();
        let columns: filings::Columns = fetcher.json(&ask(url, MAX_JSON, settings)?)?;
        list.add(&columns, &shown)?;
    }
    list.sort();
    Ok(list)
}

/// The SEC refuses whoever does not say who asks.
fn ask(url: Url, limit: u64, settings: &Settings) -> Result<Ask, ToolFailure> {
    let agent = settings.sec_user_agent.as_deref().map(str::trim);
    let agent = agent.filter(|agent| !agent.is_empty()).ok_or(ToolFailure::NoUserAgent)?;
    if !agent.chars().all(|c| c == ' ' || c.is_ascii_graphic()) {
        let name = "sec.user_agent".to_owned();
        return Err(ToolFailure::BadSetting { name, value: agent.to_owned() });
    }
    Ok(Ask::get(url, limit).header("user-agent", agent))
}
