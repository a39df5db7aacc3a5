//! Every way in which a tool gives no answer: what happened and what to do next, in both languages.

use serde::{Deserialize, Serialize};

use crate::words::Lang;

/// Why a tool gave no answer. Each address is without secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolFailure {
    UnknownTool { name: String },
    BadArguments { tool: &'static str, findings: Vec<String> },
    YearTooEarly { year: i32, min_year: i32 },
    NoUserAgent,
    NoSearchProvider,
    BadSetting { name: String, value: String },
    UnknownTicker { ticker: String },
    UnknownCompany { name: String },
    NoFiling { form: String, year: i32 },
    NoSection { section: String, url: String },
    NoFacts { concept: String, url: String },
    NoData { url: String, why: String },
    NotFound { url: String },
    Refused { url: String, status: u16 },
    ForbiddenByRobots { url: String },
    PrivateAddress { host: String },
    BadUrl { url: String, why: String },
    TooManyRedirects { url: String },
    Limited { url: String, seconds: Option<u64> },
    Unavailable { url: String, status: u16 },
    Unreachable { url: String, why: String },
    TimedOut { url: String },
    CutBody { url: String },
    WrongMedia { url: String, found: String },
    HtmlInsteadOfJson { url: String },
    NotJson { url: String, why: String },
    WrongShape { url: String, what: String },
    Empty { url: String },
    TooLarge { url: String, limit: u64 },
    NoCrumb { why: String },
    NotRecorded { url: String },
    Cancelled,
}

/// What kind of thing has to change before the same call can succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// The call itself: its tool or its arguments.
    Arguments,
    /// A setting that a person gives.
    Configuration,
    /// The source does not have it.
    NotFound,
    /// The source, or hast, does not allow it.
    Refused,
    /// Later.
    Limited,
    /// The network or the server.
    Unreachable,
    /// An answer that cannot be read.
    Malformed,
    TooLarge,
    Cancelled,
}

/// A failure as it is written down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureRecord {
    pub class: FailureClass,
    pub cause: String,
    pub next: String,
}

impl ToolFailure {
    pub fn class(&self) -> FailureClass {
        match self {
            Self::UnknownTool { .. }
            | Self::BadArguments { .. }
            | Self::YearTooEarly { .. }
            | Self::BadUrl { .. } => FailureClass::Arguments,
            Self::NoUserAgent | Self::NoSearchProvider | Self::BadSetting { .. } => {
                FailureClass::Configuration
            }
            Self::UnknownTicker { .. }
            | Self::UnknownCompany { .. }
            | Self::NoFiling { .. }
            | Self::NoSection { .. }
            | Self::NoFacts { .. }
            | Self::NoData { .. }
            | Self::NotFound { .. }
            | Self::NotRecorded { .. } => FailureClass::NotFound,
            Self::Refused { .. }
            | Self::ForbiddenByRobots { .. }
            | Self::PrivateAddress { .. }
            | Self::TooManyRedirects { .. } => FailureClass::Refused,
            Self::Limited { .. } | Self::NoCrumb { .. } => FailureClass::Limited,
            Self::Unavailable { .. } | Self::Unreachable { .. } | Self::TimedOut { .. } => {
                FailureClass::Unreachable
            }
            Self::CutBody { .. }
            | Self::WrongMedia { .. }
            | Self::HtmlInsteadOfJson { .. }
            | Self::NotJson { .. }
            | Self::WrongShape { .. }
            | Self::Empty { .. } => FailureClass::Malformed,
            Self::TooLarge { .. } => FailureClass::TooLarge,
            Self::Cancelled => FailureClass::Cancelled,
        }
    }

    /// What happened, in one sentence without a full stop.
    pub fn what(&self, lang: Lang) -> String {
        match self {
            Self::UnknownTool { name } => text::unknown_tool(lang, name),
            Self::BadArguments { tool, findings } => {
                text::bad_arguments(lang, tool, findings.join(" / "))
            }
            Self::YearTooEarly { year, min_year } => text::year_too_early(lang, year, min_year),
            Self::NoUserAgent => text::no_user_agent(lang),
            Self::NoSearchProvider => text::no_search_provider(lang),
            Self::BadSetting { name, value } => text::bad_setting(lang, name, value),
            Self::UnknownTicker { ticker } => text::unknown_ticker(lang, ticker),
            Self::UnknownCompany { name } => text::unknown_company(lang, name),
            Self::NoFiling { form, year } => text::no_filing(lang, form, year),
            Self::NoSection { section, url } => text::no_section(lang, section, url),
            Self::NoFacts { concept, url } => text::no_facts(lang, concept, url),
            Self::NoData { url, why } => text::no_data(lang, url, why),
            Self::NotFound { url } => text::not_found(lang, url),
            Self::Refused { url, status } => text::refused(lang, url, status),
            Self::ForbiddenByRobots { url } => text::robots(lang, url),
            Self::PrivateAddress { host } => text::private_address(lang, host),
            Self::BadUrl { url, why } => text::bad_url(lang, url, why),
            Self::TooManyRedirects { url } => text::too_many_redirects(lang, url),
            Self::Limited { url, .. } => text::limited(lang, url),
            Self::Unavailable { url, status } => text::unavailable(lang, url, status),
            Self::Unreachable { url, why } => text::unreachable(lang, url, why),
            Self::TimedOut { url } => text::timed_out(lang, url),
            Self::CutBody { url } => text::cut_body(lang, url),
            Self::WrongMedia { url, found } => text::wrong_media(lang, url, found),
            Self::HtmlInsteadOfJson { url } => text::html_instead(lang, url),
            Self::NotJson { url, why } => text::not_json(lang, url, why),
            Self::WrongShape { url, what } => text::wrong_shape(lang, url, what),
            Self::Empty { url } => text::empty(lang, url),
            Self::TooLarge { url, limit } => text::too_large(lang, url, limit),
            Self::NoCrumb { why } => text::no_crumb(lang, why),
            Self::NotRecorded { url } => text::not_recorded(lang, url),
            Self::Cancelled => text::cancelled(lang),
        }
    }

    /// What to do next, in one sentence without a full stop.
    pub fn next(&self, lang: Lang) -> String {
        match self {
            Self::UnknownTool { .. } => text::unknown_tool_next(lang),
            Self::BadArguments { tool, .. } => text::bad_arguments_next(lang, tool),
            Self::YearTooEarly { min_year, .. } => text::year_too_early_next(lang, min_year),
            Self::NoUserAgent => text::no_user_agent_next(lang),
            Self::NoSearchProvider => text::no_search_provider_next(lang),
            Self::BadSetting { name, .. } => text::bad_setting_next(lang, name),
            Self::UnknownTicker { .. } | Self::UnknownCompany { .. } => {
                text::unknown_ticker_next(lang)
            }
            Self::NoFiling { .. } => text::no_filing_next(lang),
            Self::NoSection { .. } => text::no_section_next(lang),
            Self::NoFacts { .. } => text::no_facts_next(lang),
            Self::NoData { .. } | Self::Empty { .. } | Self::NotFound { .. } => {
                text::not_found_next(lang)
            }
            Self::Refused { .. } => text::refused_next(lang),
            Self::ForbiddenByRobots { .. } | Self::TooManyRedirects { .. } => {
                text::another_page_next(lang)
            }
            Self::PrivateAddress { .. } => text::private_address_next(lang),
            Self::BadUrl { .. } => text::bad_url_next(lang),
            Self::Limited { seconds: Some(seconds), .. } => text::limited_until(lang, seconds),
            Self::Limited { seconds: None, .. } | Self::NoCrumb { .. } => text::limited_next(lang),
            Self::Unavailable { .. }
            | Self::Unreachable { .. }
            | Self::TimedOut { .. }
            | Self::CutBody { .. } => text::unreachable_next(lang),
            Self::WrongMedia { .. } => text::wrong_media_next(lang),
            Self::HtmlInsteadOfJson { .. } | Self::NotJson { .. } | Self::WrongShape { .. } => {
                text::malformed_next(lang)
            }
            Self::TooLarge { .. } => text::too_large_next(lang),
            Self::NotRecorded { .. } => text::not_recorded_next(lang),
            Self::Cancelled => text::cancelled_next(lang),
        }
    }

    pub fn record(&self, lang: Lang) -> FailureRecord {
        FailureRecord { class: self.class(), cause: self.what(lang), next: self.next(lang) }
    }
}

pub mod text {
    //! The words of every failure.

    crate::messages! {
        unknown_tool(name) { en: "there is no tool `{name}`", ko: "`{name}` 도구는 없습니다" }
        unknown_tool_next() { en: "use one of the tools that `hast agent tool --list` shows", ko: "`hast agent tool --list`가 보여 주는 도구를 쓰세요" }
        bad_arguments(tool, findings) { en: "the arguments of {tool} are wrong: {findings}", ko: "{tool}의 인자가 잘못되었습니다: {findings}" }
        bad_arguments_next(tool) { en: "correct them; `hast agent tool {tool} --schema` shows what it takes", ko: "고치세요. `hast agent tool {tool} --schema`가 받는 인자를 보여 줍니다" }
        year_too_early(year, min_year) { en: "the year {year} is before min_year {min_year} of the session", ko: "{year}년은 세션의 min_year {min_year}보다 이릅니다" }
        year_too_early_next(min_year) { en: "ask for {min_year} or later, or lower min_year in state.json with a new plan", ko: "{min_year}년 이후를 요청하거나 새 계획에서 state.json의 min_year를 낮추세요" }
        no_user_agent() { en: "the SEC wants to know who asks, and no user agent is set", ko: "SEC는 요청자를 밝히도록 요구하는데 user agent가 없습니다" }
        no_user_agent_next() { en: "set sec.user_agent in config.yaml, or HAST_SEC_USER_AGENT, to your name and mail address", ko: "config.yaml의 sec.user_agent나 HAST_SEC_USER_AGENT에 이름과 메일 주소를 쓰세요" }
        no_search_provider() { en: "no web search is set up", ko: "웹 검색이 설정되어 있지 않습니다" }
        no_search_provider_next() { en: "set GEMINI_API_KEY, or HAST_SEARXNG_URL to a SearXNG server that answers in JSON", ko: "GEMINI_API_KEY를 정하거나 JSON으로 답하는 SearXNG 서버를 HAST_SEARXNG_URL로 정하세요" }
        bad_setting(name, value) { en: "`{value}` is not a value for {name}", ko: "`{value}`(은)는 {name}의 값이 될 수 없습니다" }
        bad_setting_next(name) { en: "correct {name} or unset it; docs/tools.md says what it takes", ko: "{name}(을)를 고치거나 지우세요. docs/tools.md에 설명이 있습니다" }
        unknown_ticker(ticker) { en: "there is no company with the ticker `{ticker}` at this source", ko: "이 출처에는 티커 `{ticker}`인 회사가 없습니다" }
        unknown_company(name) { en: "no single company is called `{name}` at this source", ko: "이 출처에서 `{name}`(이)라는 회사를 하나로 정할 수 없습니다" }
        unknown_ticker_next() { en: "check the spelling, or find the ticker with web_search", ko: "철자를 확인하거나 web_search로 티커를 찾으세요" }
        no_filing(form, year) { en: "there is no {form} for a period that ends in {year}", ko: "{year}년에 끝나는 기간의 {form}(이)가 없습니다" }
        no_filing_next() { en: "list what there is with sec_submissions, then ask for another year", ko: "sec_submissions로 목록을 보고 다른 연도를 요청하세요" }
        no_section(section, url) { en: "the section {section} was not found in {url}", ko: "{url}에서 {section} 절을 찾지 못했습니다" }
        no_section_next() { en: "leave `section` out to get the whole document", ko: "`section`을 빼고 전체 문서를 받으세요" }
        no_facts(concept, url) { en: "the company reports nothing as {concept} in these years ({url})", ko: "회사가 이 연도에 {concept}(으)로 보고한 값이 없습니다({url})" }
        no_facts_next() { en: "try another concept (for example RevenueFromContractWithCustomerExcludingAssessedTax for Revenues), unit or year", ko: "다른 개념(예: Revenues 대신 RevenueFromContractWithCustomerExcludingAssessedTax), 단위, 연도를 써 보세요" }
        no_data(url, why) { en: "{url} has no data for this: {why}", ko: "{url}에 데이터가 없습니다: {why}" }
        not_found(url) { en: "there is nothing at {url}", ko: "{url}에 아무것도 없습니다" }
        not_found_next() { en: "check the arguments, or use another source", ko: "인자를 확인하거나 다른 출처를 쓰세요" }
        refused(url, status) { en: "{url} refused the request (HTTP {status})", ko: "{url}(이)가 요청을 거부했습니다(HTTP {status})" }
        refused_next() { en: "check the user agent or key that was sent; wait a while if there were many requests", ko: "보낸 user agent나 키를 확인하세요. 요청이 많았다면 잠시 기다리세요" }
        robots(url) { en: "the robots.txt of the site does not allow {url}", ko: "사이트의 robots.txt가 {url}(을)를 허용하지 않습니다" }
        another_page_next() { en: "use another page that says the same", ko: "같은 내용을 담은 다른 페이지를 쓰세요" }
        private_address(host) { en: "`{host}` is an address of a private network or of this machine", ko: "`{host}`(은)는 사설 네트워크나 이 컴퓨터의 주소입니다" }
        private_address_next() { en: "use a public address, or name host:port in HAST_WEB_ALLOW_PRIVATE if you trust it", ko: "공개 주소를 쓰거나, 믿는 곳이라면 HAST_WEB_ALLOW_PRIVATE에 host:port를 쓰세요" }
        bad_url(url, why) { en: "`{url}` is not an address that can be fetched: {why}", ko: "`{url}`(은)는 가져올 수 있는 주소가 아닙니다: {why}" }
        bad_url_next() { en: "write a full http or https address without user name and password", ko: "사용자 이름과 비밀번호가 없는 http(s) 주소를 쓰세요" }
        too_many_redirects(url) { en: "{url} redirects too often", ko: "{url}(이)가 너무 여러 번 이동시킵니다" }
        limited(url) { en: "{url} allows no more requests now (HTTP 429)", ko: "{url}(이)가 지금은 더 요청을 받지 않습니다(HTTP 429)" }
        limited_until(seconds) { en: "try again after {seconds} seconds", ko: "{seconds}초 뒤에 다시 하세요" }
        limited_next() { en: "try again in a few minutes", ko: "몇 분 뒤에 다시 하세요" }
        unavailable(url, status) { en: "{url} is out of order (HTTP {status})", ko: "{url}(이)가 고장입니다(HTTP {status})" }
        unreachable(url, why) { en: "{url} cannot be reached: {why}", ko: "{url}에 연결할 수 없습니다: {why}" }
        timed_out(url) { en: "{url} did not answer in time", ko: "{url}(이)가 제때 답하지 않았습니다" }
        cut_body(url) { en: "the answer of {url} was cut off", ko: "{url}의 답이 중간에 끊겼습니다" }
        unreachable_next() { en: "check the network, then try again", ko: "네트워크를 확인하고 다시 하세요" }
        wrong_media(url, found) { en: "{url} is {found}, not a text that can be read", ko: "{url}(은)는 {found}(이)라서 읽을 수 있는 글이 아닙니다" }
        wrong_media_next() { en: "use a page in HTML or plain text", ko: "HTML이나 일반 텍스트 페이지를 쓰세요" }
        html_instead(url) { en: "{url} answered with a web page instead of JSON", ko: "{url}(이)가 JSON 대신 웹 페이지로 답했습니다" }
        not_json(url, why) { en: "the answer of {url} is not JSON: {why}", ko: "{url}의 답이 JSON이 아닙니다: {why}" }
        wrong_shape(url, what) { en: "the answer of {url} is not as documented: {what}", ko: "{url}의 답이 문서와 다릅니다: {what}" }
        malformed_next() { en: "try again later; if it stays, the source has changed: report it with the stored answer", ko: "나중에 다시 하세요. 계속되면 출처가 바뀐 것이니 저장된 답과 함께 알려 주세요" }
        empty(url) { en: "the answer of {url} is empty", ko: "{url}의 답이 비어 있습니다" }
        too_large(url, limit) { en: "the answer of {url} has more than {limit} bytes", ko: "{url}의 답이 {limit}바이트를 넘습니다" }
        too_large_next() { en: "ask for less: fewer years, one section, another page", ko: "연도를 줄이거나 한 절만, 또는 다른 페이지를 요청하세요" }
        no_crumb(why) { en: "Yahoo gave no crumb for its quotes: {why}", ko: "Yahoo가 시세용 crumb을 주지 않았습니다: {why}" }
        not_recorded(url) { en: "there is no recorded answer for {url}", ko: "{url}의 기록된 답이 없습니다" }
        not_recorded_next() { en: "record one, or use the network", ko: "기록을 만들거나 네트워크를 쓰세요" }
        cancelled() { en: "hast was interrupted before the tool answered", ko: "도구가 답하기 전에 hast가 중단되었습니다" }
        cancelled_next() { en: "run the same command again", ko: "같은 명령을 다시 실행하세요" }
    }
}
