//! Abilities of a machine that some tests cannot do without. A test that meets a machine without one says so and
//! tests nothing, unless the variable `HAST_TEST_NEEDS` names the ability: then it fails. `.ci/run` names what a
//! probe that knows nothing of hast found.

use std::fmt::{self, Display};

/// The variable, with names of abilities that are separated by commas.
const NEEDS: &str = "HAST_TEST_NEEDS";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ability {
    /// Landlock.
    Landlock,
    /// A PID and a mount namespace, as this user or in a user namespace.
    Namespaces,
    /// A mount in the namespace that the test is in.
    Mounts,
    /// Files that no owner may change (`chattr +i`).
    Immutable,
    /// Landlock that holds back signals.
    Signals,
}

impl Display for Ability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Landlock => "landlock",
            Self::Namespaces => "namespaces",
            Self::Mounts => "mounts",
            Self::Immutable => "immutable",
            Self::Signals => "signals",
        })
    }
}

/// Says that a test is skipped because the machine lacks something. Panics where it must have it.
pub fn skip_without(ability: Ability, why: impl Display) {
    let needed = std::env::var(NEEDS).unwrap_or_default();
    assert!(!names(&needed, ability), "{NEEDS} names {ability}, which is not there: {why}");
    eprintln!("skipped: no {ability} on this machine: {why}");
}

fn names(needed: &str, ability: Ability) -> bool {
    needed.split(',').any(|name| name.trim() == ability.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ability_is_needed_where_its_whole_name_is_there() {
        assert!(names("landlock, mounts", Ability::Mounts));
        assert!(!names("", Ability::Landlock) && !names("landlocked", Ability::Landlock));
    }
}
