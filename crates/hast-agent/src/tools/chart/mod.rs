//! Series in, one self-contained HTML file with an SVG chart out. Needs no script and no network.

mod draw;
mod page;
mod plot;
mod scale;

use hast_flow::tools::ToolFailure;
use hast_flow::tools::args::ChartArgs;

pub use page::{STYLE, escaped};

/// A whole file.
pub fn html(args: &ChartArgs) -> Result<String, ToolFailure> {
    Ok(page::page(args, &figure(args)?))
}

/// The `<figure>` alone, for a page that has [`STYLE`].
pub fn figure(args: &ChartArgs) -> Result<String, ToolFailure> {
    let plot = plot::Plot::new(args)
        .map_err(|finding| ToolFailure::BadArguments { tool: "chart", findings: vec![finding] })?;
    Ok(page::figure(args, &plot, &draw::svg(args, &plot)))
}
