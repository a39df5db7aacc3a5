//! Answers of search services, brought into one shape.

use hast_flow::tools::ToolFailure;
use serde::{Deserialize, Serialize};

/// What `web_search` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Found {
    pub query: String,
    pub provider: &'static str,
    /// A summary, where the provider writes one.
    pub summary: Option<String>,
    pub results: Vec<Hit>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hit {
    pub title: String,
    pub url: String,
    pub excerpt: Option<String>,
}

/// SearXNG's `/search?format=json`.
#[derive(Clone, Debug, Deserialize)]
pub struct Searxng {
    pub results: Vec<SearxngHit>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct SearxngHit {
    pub url: String,
    #[serde(default)]
    pub title: String,
    #[serde(default)]
    pub content: Option<String>,
}

pub fn searxng(answer: Searxng, query: &str, url: &str) -> Result<Found, ToolFailure> {
    let results = answer.results.into_iter().map(|hit| Hit {
        title: one_line(&hit.title),
        url: hit.url,
        excerpt: hit.content.map(|text| one_line(&text)).filter(|text| !text.is_empty()),
    });
    found(query, "searxng", None, results.collect(), url)
}

/// Gemini's `generateContent` with `google_search`.
#[derive(Clone, Debug, Deserialize)]
pub struct Gemini {
    #[serde(default)]
    pub candidates: Vec<Candidate>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Candidate {
    #[serde(default)]
    pub content: Content,
    #[serde(default)]
    pub grounding_metadata: Grounding,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Content {
    #[serde(default)]
    pub parts: Vec<Part>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Part {
    #[serde(default)]
    pub text: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Grounding {
    pub grounding_chunks: Vec<Chunk>,
    pub grounding_supports: Vec<Support>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Chunk {
    #[serde(default)]
    pub web: Option<WebChunk>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct WebChunk {
    pub uri: String,
    #[serde(default)]
    pub title: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Support {
    #[serde(default)]
    pub segment: Segment,
    #[serde(default)]
    pub grounding_chunk_indices: Vec<usize>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Segment {
    #[serde(default)]
    pub text: String,
}

/// The summary, and each page with the sentences that rest on it.
pub fn gemini(answer: Gemini, query: &str, url: &str) -> Result<Found, ToolFailure> {
    let Some(first) = answer.candidates.into_iter().next() else {
        let why = "there is no candidate".to_owned();
        return Err(ToolFailure::NoData { url: url.to_owned(), why });
    };
    let summary: String = first.content.parts.iter().map(|part| part.text.as_str()).collect();
    let grounding = first.grounding_metadata;
    let pages = grounding.grounding_chunks.iter().enumerate();
    let results = pages.filter_map(|(index, chunk)| {
        let web = chunk.web.as_ref()?;
        let resting = grounding
            .grounding_supports
            .iter()
            .filter(|support| support.grounding_chunk_indices.contains(&index))
            .map(|support| one_line(&support.segment.text));
        let excerpt = resting.collect::<Vec<_>>().join(" ");
        Some(Hit {
            title: one_line(&web.title),
            url: web.uri.clone(),
            excerpt: Some(excerpt).filter(|text| !text.is_empty()),
        })
    });
    let summary = Some(summary.trim().to_owned()).filter(|text| !text.is_empty());
    found(query, "gemini", summary, results.collect(), url)
}

fn found(
    query: &str,
    provider: &'static str,
    summary: Option<String>,
    mut results: Vec<Hit>,
    url: &str,
) -> Result<Found, ToolFailure> {
    results.retain(|hit| hit.url.starts_with("http://") || hit.url.starts_with("https://"));
    let mut seen = std::collections::BTreeSet::new();
    results.retain(|hit| seen.insert(hit.url.clone()));
    if results.is_empty() && summary.is_none() {
        let why = "nothing was found".to_owned();
        return Err(ToolFailure::NoData { url: url.to_owned(), why });
    }
    Ok(Found { query: query.to_owned(), provider, summary, results })
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
