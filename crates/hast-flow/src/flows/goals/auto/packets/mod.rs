//! Packets: a goal that goes out to a worker elsewhere with all that it needs, and the result that
//! comes back. Both are documents first; a result is judged in a lane like any other attempt.

pub mod envelope;
pub mod export;
pub mod patch;
pub mod receive;
pub mod refusal;

use std::collections::{BTreeMap, BTreeSet};

use crate::docs::goals::{GoalsEvent, GoalsEventKind as Kind, HandoffName, ProtocolTask};
use crate::driver::Delta;
use crate::flows::goals::auto::layout;
use crate::flows::goals::auto::view::View;
use crate::formats::ndjson;
use crate::store::DocPath;

pub use refusal::Refused;

/// What the files say about packets, and about the goals that they are for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PacketView {
    pub shared: View,
    pub packets: BTreeMap<String, Packet>,
    /// Handoffs that other packets were told to write.
    pub promised: BTreeSet<HandoffName>,
    /// The task of the packet that this is about, if there is one.
    pub task: Option<ProtocolTask>,
}

/// What became of a packet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Packet {
    /// The content of the result that came in.
    pub received: Option<String>,
    /// What `PACKET_SETTLED` told.
    pub settled: Option<serde_json::Map<String, serde_json::Value>>,
}

impl PacketView {
    fn fold(&mut self, delta: &Delta<'_>) {
        match delta {
            Delta::Document { path, bytes, .. } | Delta::Appended { path, bytes, .. }
                if path.as_str() == layout::EVENTS =>
            {
                self.take_events(bytes);
                self.shared.fold(delta);
            }
            Delta::Document { path, bytes, .. } if path.as_str().starts_with(layout::PROTOCOLS) => {
                if path.as_str().ends_with(layout::TASK) {
                    self.task = serde_json::from_slice(bytes).ok();
                }
            }
            other => self.shared.fold(other),
        }
    }

    fn take_events(&mut self, bytes: &[u8]) {
        for event in ndjson::read::<GoalsEvent>(layout::EVENTS, bytes).0 {
            let text = |key: &str| event.detail.get(key).and_then(|value| value.as_str());
            let Some(id) = text("packet_id").map(str::to_owned) else { continue };
            match event.kind {
                Kind::PacketExported => {
                    let name = text("handoff").and_then(|name| name.parse::<HandoffName>().ok());
                    self.promised.extend(name);
                    self.packets.entry(id).or_default();
                }
                Kind::PacketReceived => {
                    let content = text("content").map(str::to_owned);
                    self.packets.entry(id).or_default().received = content;
                }
                Kind::PacketSettled => {
                    self.packets.entry(id).or_default().settled = Some(event.detail);
                }
                _ => {}
            }
        }
    }
}

/// What is rested on: the goals, and the documents of one packet. There may be many large ones.
fn is_read(path: &DocPath, packet: &str) -> bool {
    let own = layout::of_packet(packet, "");
    let own = own.trim_end_matches('/');
    let text = path.as_str();
    layout::is_read(path)
        || text == layout::PROTOCOLS.trim_end_matches('/')
        || text == own
        || text == layout::of_packet(packet, layout::TASK)
}
