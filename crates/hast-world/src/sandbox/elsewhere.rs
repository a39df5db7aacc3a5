//! Systems without Landlock and namespaces: nothing is held back, and everything here says so.

pub mod landlock {
    //! No restriction.

    use std::path::{Path, PathBuf};
    use std::sync::OnceLock;

    use hast_flow::process::exit::Applied;

    pub fn ability() -> &'static Applied {
        static ABILITY: OnceLock<Applied> = OnceLock::new();
        ABILITY.get_or_init(|| restrict(&[], Path::new("/")))
    }

    pub(crate) fn restrict(_: &[PathBuf], _: &Path) -> Applied {
        Applied::Unavailable { why: "this system has no Landlock".to_owned() }
    }
}

pub(crate) mod mounts {
    //! No mounts of our own.

    use std::path::{Path, PathBuf};

    use hast_flow::process::{Sandbox, SandboxMode};

    use super::private_places::{Needs, PrivatePlaces};

    #[derive(Clone, Debug, PartialEq, Eq)]
    pub(crate) enum Closed {
        NothingAsked,
        Held,
        NotHeld,
        InRoom(PrivatePlaces),
        NoRoom { why: String },
    }

    pub(crate) fn asked(sandbox: &Sandbox) -> bool {
        let shut = !sandbox.closed.is_empty() || !sandbox.hidden.is_empty();
        sandbox.room.is_some() || (sandbox.mode != SandboxMode::Off && shut)
    }

    pub(crate) struct Removable;

    impl Removable {
        pub(crate) fn hold(_: &Path) -> Option<Self> {
            None
        }

        pub(crate) fn remove(self, _: &[PathBuf]) {}
    }

    pub(crate) fn mount_points(_: &[u8]) -> impl Iterator<Item = PathBuf> {
        std::iter::empty()
    }

    pub(crate) fn close(sandbox: &Sandbox, _: &[PathBuf], _: &Needs) -> Closed {
        if sandbox.room.is_some() {
            return Closed::NoRoom { why: "this system has no overlays".to_owned() };
        }
        match asked(sandbox) {
            true => Closed::NotHeld,
            false => Closed::NothingAsked,
        }
    }
}

pub(crate) mod namespace {
    //! No namespaces.

    use std::io;

    pub(crate) fn enter() -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn settle() -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn drop_mounting() -> io::Result<()> {
        Ok(())
    }

    pub(crate) fn drop_all() -> io::Result<()> {
        Ok(())
    }
}

pub(crate) mod private_places {
    //! No private places.

    use std::path::PathBuf;

    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub(crate) struct Needs {
        pub(crate) scratch: PathBuf,
        pub(crate) home: Option<PathBuf>,
        pub(crate) read: Vec<PathBuf>,
    }

    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub(crate) struct PrivatePlaces {
        pub(crate) open: Vec<PathBuf>,
        pub(crate) variables: Vec<(&'static str, PathBuf)>,
    }
}
