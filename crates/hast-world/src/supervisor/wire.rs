//! Protocol between hast and its guard. hast sends one order over the guard's standard input, then
//! single bytes. The guard sends frames over its standard output.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use hast_flow::process::exit::{Applied, Exit};
use hast_flow::process::{
    CommandSpec, Limits, Record, RoomMounts, Sandbox, SandboxMode, Stdin, Stream,
};
use serde::{Deserialize, Serialize};

use crate::sandbox::private_places::PrivatePlaces;

/// A longer message is a broken one.
const MAX_ORDER: u64 = 64 << 20;
const MAX_FRAME: usize = 1 << 20;

/// What hast tells a running guard, one byte each.
pub(crate) const CANCEL: u8 = b'c';
pub(crate) const STOP: u8 = b's';
pub(crate) const CONTINUE: u8 = b'g';

/// All that a guard needs to know. Paths are `OsString`, for they need not be text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Order {
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
    pub(crate) cwd: OsString,
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) stdin: OrderStdin,
    pub(crate) sandbox: OrderSandbox,
    pub(crate) record: Option<(OsString, OsString)>,
    pub(crate) limits: OrderLimits,
    /// A directory for this run alone: `tmp/` in it is the program's `TMPDIR`.
    pub(crate) scratch: OsString,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum OrderStdin {
    Nothing,
    /// This many bytes follow the order.
    Bytes(u64),
    File(OsString),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OrderSandbox {
    pub(crate) mode: OrderMode,
    pub(crate) writable: Vec<OsString>,
    pub(crate) closed: Vec<OsString>,
    pub(crate) hidden: Vec<OsString>,
    /// Checkout, tree, work directory and objects of a room.
    pub(crate) room: Option<[OsString; 4]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum OrderMode {
    Enforce,
    Prefer,
    Off,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OrderLimits {
    timeout: Duration,
    grace: Duration,
    stall: Option<Duration>,
    head: usize,
    tail: usize,
    flood: u64,
}

/// What a guard tells hast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    Output(Stream, Vec<u8>),
    /// The machine gives no namespace; nothing was started.
    NoNamespace,
    Ended(Report),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) exit: Exit,
    pub(crate) swept: u32,
    pub(crate) sandbox: Applied,
}

impl Order {
    pub(crate) fn new(spec: &CommandSpec, limits: &Limits, scratch: PathBuf) -> Self {
        let paths = |paths: &[PathBuf]| paths.iter().map(|path| path.into()).collect();
        Self {
            program: spec.program.clone(),
            args: spec.args.clone(),
            cwd: spec.cwd.clone().into(),
            env: spec.env.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
            stdin: match &spec.stdin {
                Stdin::Nothing => OrderStdin::Nothing,
                Stdin::Bytes(bytes) => OrderStdin::Bytes(bytes.len() as u64),
                Stdin::File(path) => OrderStdin::File(path.into()),
            },
            sandbox: OrderSandbox {
                mode: match spec.sandbox.mode {
                    SandboxMode::Enforce => OrderMode::Enforce,
                    SandboxMode::Prefer => OrderMode::Prefer,
                    SandboxMode::Off => OrderMode::Off,
                },
                writable: paths(&spec.sandbox.writable),
                closed: paths(&spec.sandbox.closed),
                hidden: paths(&spec.sandbox.hidden),
                room: spec.sandbox.room.as_ref().map(|room| {
                    let RoomMounts { checkout, tree, work, objects } = room;
                    [checkout, tree, work, objects].map(Into::into)
                }),
            },
            record: match &spec.record {
                Record::Nowhere => None,
                Record::Files { stdout, stderr } => Some((stdout.into(), stderr.into())),
            },
            limits: OrderLimits {
                timeout: limits.timeout,
                grace: limits.grace,
                stall: limits.stall,
                head: limits.head,
                tail: limits.tail,
                flood: limits.flood,
            },
            scratch: scratch.into(),
        }
    }

    pub(crate) fn limits(&self) -> Limits {
        let OrderLimits { timeout, grace, stall, head, tail, flood } = self.limits;
        Limits { timeout, grace, stall, head, tail, flood }
    }

    pub(crate) fn sandbox(&self) -> Sandbox {
        let paths = |paths: &[OsString]| paths.iter().map(PathBuf::from).collect();
        Sandbox {
            mode: match self.sandbox.mode {
                OrderMode::Enforce => SandboxMode::Enforce,
                OrderMode::Prefer => SandboxMode::Prefer,
                OrderMode::Off => SandboxMode::Off,
            },
            writable: paths(&self.sandbox.writable),
            closed: paths(&self.sandbox.closed),
            hidden: paths(&self.sandbox.hidden),
            room: self.sandbox.room.clone().map(|paths| {
                let [checkout, tree, work, objects] = paths.map(PathBuf::from);
                RoomMounts { checkout, tree, work, objects }
            }),
        }
    }

    pub(crate) fn variable(&self, name: &str) -> Option<&OsStr> {
        let found = self.env.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_os_str())
    }

    /// The order for a program in private places: these are open, and variables lead there.
    pub(crate) fn move_in(&mut self, places: &PrivatePlaces) {
        self.sandbox.writable.extend(places.open.iter().map(Into::into));
        self.lead(places.variables.clone());
    }

    /// Sets variables of the program.
    pub(crate) fn lead(&mut self, variables: Vec<(&'static str, PathBuf)>) {
        for (name, path) in variables {
            self.env.retain(|(known, _)| known != name);
            self.env.push((name.into(), path.into()));
        }
    }

    /// Sends the order, and what the program is to read, to a guard.
    pub(crate) fn send(&self, input: &[u8], mut to: impl Write) -> io::Result<()> {
        let order = serde_json::to_vec(self)?;
        to.write_all(&(order.len() as u64).to_le_bytes())?;
        to.write_all(&order)?;
        to.write_all(input)?;
        to.flush()
    }

    /// Receives an order. The bytes for the program follow and are not read here.
    pub(crate) fn receive(mut from: impl Read) -> io::Result<Self> {
        let mut length = [0; 8];
        from.read_exact(&mut length)?;
        let length = u64::from_le_bytes(length);
        if length > MAX_ORDER {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "not an order of hast"));
        }
        let mut order = Vec::new();
        from.take(length).read_to_end(&mut order)?;
        Ok(serde_json::from_slice(&order)?)
    }
}

impl Frame {
    /// Appends the frame of a piece of output.
    pub(crate) fn output(stream: Stream, bytes: &[u8], to: &mut Vec<u8>) {
        let kind = match stream {
            Stream::Out => b'o',
            Stream::Err => b'e',
        };
        push(kind, bytes, to);
    }

    pub(crate) fn encode(&self, to: &mut Vec<u8>) -> io::Result<()> {
        match self {
            Self::Output(stream, bytes) => Self::output(*stream, bytes, to),
            Self::NoNamespace => push(b'n', &[], to),
            Self::Ended(report) => push(b'x', &serde_json::to_vec(report)?, to),
        }
        Ok(())
    }

    /// The next frame, or `None` at the end.
    pub(crate) fn receive(mut from: impl Read) -> io::Result<Option<Self>> {
        let mut header = [0; 5];
        match from.read_exact(&mut header) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            other => other?,
        }
        let [kind, length @ ..] = header;
        let length = u32::from_le_bytes(length) as usize;
        if length > MAX_FRAME {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a frame is too long"));
        }
        let mut bytes = vec![0; length];
        from.read_exact(&mut bytes)?;
        match kind {
            b'o' => Ok(Some(Self::Output(Stream::Out, bytes))),
            b'e' => Ok(Some(Self::Output(Stream::Err, bytes))),
            b'n' => Ok(Some(Self::NoNamespace)),
            b'x' => Ok(Some(Self::Ended(serde_json::from_slice(&bytes)?))),
            _ => Err(io::Error::new(io::ErrorKind::InvalidData, "an unknown frame")),
        }
    }
}

fn push(kind: u8, bytes: &[u8], to: &mut Vec<u8>) {
    // Pieces of output are as long as one read, far below the limit of a frame.
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    to.push(kind);
    to.extend_from_slice(&length.to_le_bytes());
    to.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStringExt;

    #[test]
    fn an_order_arrives_as_it_was_sent_also_when_it_is_not_text() {
        let odd = OsString::from_vec(b"\xff\xfe".to_vec());
        let mut spec = CommandSpec::new(odd.clone(), "/").args([odd.clone()]);
        spec.env.insert("A".into(), odd);
        spec.stdin = Stdin::Bytes(b"hello".to_vec());
        let order = Order::new(&spec, &Limits::default(), "/s".into());
        let mut sent = Vec::new();
        order.send(b"hello", &mut sent).unwrap();
        let mut reader = &sent[..];
        let received = Order::receive(&mut reader).unwrap();
        assert_eq!(received, order);
        assert_eq!(received.limits(), Limits::default());
        assert_eq!(reader, b"hello");
        assert!(Order::receive(&b"hast agent guard"[..]).is_err());
    }

    #[test]
    fn frames_arrive_in_order_and_a_cut_one_is_an_error() {
        let report = Report { exit: Exit::Exited(1), swept: 2, sandbox: Applied::Off };
        let frames =
            [Frame::Output(Stream::Err, vec![0xff]), Frame::NoNamespace, Frame::Ended(report)];
        let mut sent = Vec::new();
        for frame in &frames {
            frame.encode(&mut sent).unwrap();
        }
        let mut reader = &sent[..];
        for frame in &frames {
            assert_eq!(Frame::receive(&mut reader).unwrap().as_ref(), Some(frame));
        }
        assert_eq!(Frame::receive(&mut reader).unwrap(), None);
        assert!(Frame::receive(&sent[..5]).is_err());
    }
}
