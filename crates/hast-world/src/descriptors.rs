//! Open files that this process was started with: no program that it starts gets them.

/// The first descriptor above the standard streams.
const FIRST: i32 = 3;

/// Closes every descriptor that is open now, but the standard streams, for each program that is started later.
pub fn keep_descriptors_from_programs() {
    close_fds::set_fds_cloexec(FIRST, &[]);
}
