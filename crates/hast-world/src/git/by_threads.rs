//! Work that is mostly the system's, on all processors.

/// Gives each processor a share of many things, none smaller than `few`: so much is done faster than a
/// thread is started. What comes of the shares is in their order.
pub(super) fn by_threads<T: Sync, R: Send>(
    things: &[T],
    few: usize,
    work: impl Fn(&[T]) -> R + Sync,
) -> Vec<R> {
    if things.len() <= few {
        return vec![work(things)];
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = things.len().div_ceil(threads).max(few);
    let (own, others) = things.split_at(share.min(things.len()));
    std::thread::scope(|scope| {
        let work = &work;
        let others: Vec<_> =
            others.chunks(share).map(|part| scope.spawn(move || work(part))).collect();
        let mut done = vec![work(own)];
        for other in others {
            done.push(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thing_is_in_one_share_and_the_shares_are_in_order() {
        for count in [0, 1, 10, 11, 999, 1_000] {
            let many: Vec<usize> = (0..count).collect();
            let shares = by_threads(&many, 10, <[usize]>::to_vec);
            assert_eq!(shares.concat(), many, "{count}");
        }
    }
}
