//! The finding about a path of `sandbox_write` that leads past an agent's room: into the user's checkout,
//! its git directory or hast's rooms. Paths are given as the file system has them.

use std::path::{Path, PathBuf};

use crate::messages;
use crate::words::{Lang, shown};

/// The places that no grant may reach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClosedPlaces {
    pub checkout: PathBuf,
    /// The checkout's own git directory, and the one that it shares with other work trees.
    pub git: Vec<PathBuf>,
    pub rooms: Option<PathBuf>,
    /// The user's home: where it lies in the checkout, a part of it may be granted.
    pub home: Option<PathBuf>,
}

/// A path of `sandbox_write` that is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedGrant {
    /// As the settings have it.
    pub written: String,
    pub reaches: ClosedPlace,
    /// Where that place is.
    pub place: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosedPlace {
    /// The path is the checkout, or is in it.
    InCheckout,
    /// The path is a directory above the checkout.
    AboveCheckout,
    Git,
    Rooms,
}

impl ClosedPlaces {
    /// Why a path is not granted; nothing if it may be.
    pub fn refuses(&self, written: &str, path: &Path) -> Option<RefusedGrant> {
        let touches = |place: &Path| path.starts_with(place) || place.starts_with(path);
        let refused = |reaches, place: &Path| RefusedGrant {
            written: written.to_owned(),
            reaches,
            place: place.display().to_string(),
        };
        if let Some(git) = self.git.iter().find(|git| path.starts_with(git)) {
            return Some(refused(ClosedPlace::Git, git));
        }
        if path.starts_with(&self.checkout) && !self.is_of_the_home(path) {
            return Some(refused(ClosedPlace::InCheckout, &self.checkout));
        }
        if self.checkout.starts_with(path) {
            return Some(refused(ClosedPlace::AboveCheckout, &self.checkout));
        }
        if let Some(git) = self.git.iter().find(|git| touches(git)) {
            return Some(refused(ClosedPlace::Git, git));
        }
        let rooms = self.rooms.as_deref().filter(|rooms| touches(rooms))?;
        Some(refused(ClosedPlace::Rooms, rooms))
    }

    /// A part of a home that lies in the checkout.
    fn is_of_the_home(&self, path: &Path) -> bool {
        let inside = self
            .home
            .as_ref()
            .filter(|home| home.starts_with(&self.checkout) && **home != self.checkout);
        inside.is_some_and(|home| path.starts_with(home))
    }
}

impl RefusedGrant {
    pub fn what(&self, lang: Lang) -> String {
        let (written, place) = (shown(&self.written), shown(&self.place));
        match self.reaches {
            ClosedPlace::InCheckout => in_checkout(lang, written, place),
            ClosedPlace::AboveCheckout => above_checkout(lang, written, place),
            ClosedPlace::Git => of_git(lang, written, place),
            ClosedPlace::Rooms => of_rooms(lang, written, place),
        }
    }

    pub fn next(&self, lang: Lang) -> String {
        match self.reaches {
            ClosedPlace::InCheckout => in_checkout_next(lang),
            ClosedPlace::Git => of_git_next(lang),
            ClosedPlace::AboveCheckout | ClosedPlace::Rooms => {
                above_next(lang, shown(&self.written))
            }
        }
    }
}

messages! {
    in_checkout(written, place) { en: "sandbox_write names {written}, which is in your checkout {place}: what agents write there would be in no room and judged by no gate", ko: "sandbox_write의 {written}(은)는 체크아웃 {place} 안에 있습니다. 에이전트가 그곳에 쓴 것은 작업실을 거치지 않고 판정도 받지 않습니다" }
    in_checkout_next() { en: "take the path out of sandbox_write: an agent may write to every file of the checkout in its room, and hast merges what passed; for a cache, name a directory outside of the checkout, such as `~/.cache/NAME`", ko: "sandbox_write에서 그 경로를 빼세요. 에이전트는 작업실에서 체크아웃의 모든 파일에 쓸 수 있고, 통과한 것은 hast가 병합합니다. 캐시라면 `~/.cache/NAME`처럼 체크아웃 밖의 디렉터리를 적으세요" }
    above_checkout(written, place) { en: "sandbox_write names {written}, which contains your checkout {place}: agents could write past their room", ko: "sandbox_write의 {written}(은)는 체크아웃 {place}(을)를 포함합니다. 에이전트가 작업실을 지나쳐 쓸 수 있게 됩니다" }
    above_next(written) { en: "name the directories below {written} that agents have to write to, such as `~/.cargo` or `~/.cache/NAME`, each on its own", ko: "{written} 전체 대신 에이전트가 써야 하는 하위 디렉터리만 `~/.cargo`, `~/.cache/NAME`처럼 하나씩 적으세요" }
    of_git(written, place) { en: "sandbox_write names {written}, which opens the git directory {place} to agents", ko: "sandbox_write의 {written}(은)는 git 디렉터리 {place}(을)를 에이전트에게 엽니다" }
    of_git_next() { en: "take the path out of sandbox_write: an agent commits in its room, and hast takes the commits over", ko: "sandbox_write에서 그 경로를 빼세요. 에이전트는 작업실에서 커밋하고, hast가 그 커밋을 가져옵니다" }
    of_rooms(written, place) { en: "sandbox_write names {written}, which opens hast's rooms at {place} to every agent", ko: "sandbox_write의 {written}(은)는 hast의 작업실 {place}(을)를 모든 에이전트에게 엽니다" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::placeholders;

    fn reached(path: &str) -> Option<ClosedPlace> {
        let places = ClosedPlaces {
            checkout: "/h/p".into(),
            git: vec!["/g/worktrees/p".into(), "/g".into()],
            rooms: Some("/h/state/rooms".into()),
            home: Some("/h".into()),
        };
        places.refuses("x", Path::new(path)).map(|refused| refused.reaches)
    }

    #[test]
    fn a_grant_that_is_is_in_or_contains_checkout_git_or_rooms_is_refused() {
        use ClosedPlace::{AboveCheckout, Git, InCheckout, Rooms};
        for (path, reaches) in [
            ("/h/p", Some(InCheckout)),
            ("/h/p/src", Some(InCheckout)),
            ("/h", Some(AboveCheckout)),
            ("/", Some(AboveCheckout)),
            ("/g", Some(Git)),
            ("/g/hooks", Some(Git)),
            ("/h/state", Some(Rooms)),
            ("/h/state/rooms/p/1/tree", Some(Rooms)),
            ("/h/.cargo", None),
            ("/h/p2", None),
            ("/tmp", None),
        ] {
            assert_eq!(reached(path), reaches, "{path}");
        }
    }

    #[test]
    fn a_part_of_a_home_in_the_checkout_is_granted_and_the_whole_checkout_is_not() {
        let places = ClosedPlaces {
            checkout: "/p".into(),
            git: vec!["/p/.git".into()],
            rooms: Some("/p/house/state/rooms".into()),
            home: Some("/p/house".into()),
        };
        let refused = |path: &str| places.refuses("x", Path::new(path)).is_some();
        assert!(!refused("/p/house/.config"));
        for path in ["/p", "/p/src", "/p/.git/hooks", "/p/house", "/p/house/state"] {
            assert!(refused(path), "{path}");
        }
    }

    #[test]
    fn both_languages_say_the_same_things() {
        for entry in CATALOGUE {
            assert_eq!(placeholders(entry.en), placeholders(entry.ko), "{}", entry.key);
        }
    }
}
