//! The options of an overlay: a lower layer that is read and an upper one that is written.

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Extended attributes of the user's kind: those need no right of root's.
const FIXED: &str = "userxattr,index=off,redirect_dir=nofollow,metacopy=off";

pub(super) struct Layers<'a> {
    pub(super) lower: &'a Path,
    pub(super) upper: &'a Path,
    pub(super) work: &'a Path,
}

impl Layers<'_> {
    pub(super) fn options(&self) -> io::Result<CString> {
        let mut text = FIXED.as_bytes().to_vec();
        for (name, path) in
            [("lowerdir", self.lower), ("upperdir", self.upper), ("workdir", self.work)]
        {
            text.extend_from_slice(format!(",{name}=").as_bytes());
            text.extend(escaped(path));
        }
        CString::new(text).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))
    }
}

/// The signs that part options and layers from each other.
fn escaped(path: &Path) -> Vec<u8> {
    let mut text = Vec::new();
    for byte in path.as_os_str().as_bytes() {
        if matches!(byte, b'\\' | b',' | b':') {
            text.push(b'\\');
        }
        text.push(*byte);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_signs_of_the_options_is_one_path() {
        let [lower, upper, work] = ["/a b,c:d\\e", "/t", "/w"].map(Path::new);
        let text = Layers { lower, upper, work }.options().unwrap().into_string().unwrap();
        let layers = ",lowerdir=/a b\\,c\\:d\\\\e,upperdir=/t,workdir=/w";
        assert_eq!(text, format!("{FIXED}{layers}"));
    }
}
