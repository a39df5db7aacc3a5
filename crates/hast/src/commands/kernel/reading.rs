//! A kernel's documents as they are on disk, for whoever only looks.

use hast_flow::driver::Delta;
use hast_flow::flows::kernel::{View, layout};
use hast_flow::formats::source::MAX_DOCUMENT_BYTES;
use hast_flow::store::Seen;
use hast_world::root_path::RootPath;

use super::super::flow_root::unread;
use super::brain;
use crate::app::App;
use crate::problem::Problem;

/// What the files say now. The outputs of items are not read: nobody who looks needs them.
pub(super) fn view(app: &App, root: &RootPath) -> Result<View, Problem> {
    let brain = brain(root);
    let below = |directory: &str| brain.join(directory).names().unwrap_or_default();
    let mut paths: Vec<String> =
        [layout::STATUS, layout::BRAIN, layout::INDEX, layout::LOG].map(str::to_owned).to_vec();
    let experts = below("experts").into_iter().map(|file| format!("experts/{file}"));
    paths.extend(experts.filter(|path| layout::expert_of(path).is_some()));
    for id in below("requests") {
        paths.extend(["request.json", "plan.json"].map(|file| format!("requests/{id}/{file}")));
    }
    let mut view = View::default();
    for path in paths.iter().filter_map(|path| layout::path(path)) {
        let read = brain.join(path.as_str()).read_if_there(MAX_DOCUMENT_BYTES);
        if let Some(bytes) = read.map_err(|error| unread(app, &error))? {
            view.fold(&Delta::Document { path: &path, bytes: &bytes, seen: Seen::Absent });
        }
    }
    Ok(view)
}
