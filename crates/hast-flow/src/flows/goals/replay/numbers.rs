//! Numbers that were seen, kept as stretches: a log that counts on needs one of them.

/// Sorted stretches that do not touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers(Vec<(u64, u64)>);

impl Numbers {
    pub fn from_stretches(stretches: &[(u64, u64)]) -> Self {
        let mut numbers = Self::default();
        for &(first, last) in stretches {
            let touches =
                numbers.0.last().is_some_and(|(_, before)| first <= before.saturating_add(1));
            if touches || last < first {
                // What does not count on is no list of ours; the log is read again then.
                return Self::default();
            }
            numbers.0.push((first, last));
        }
        numbers
    }

    pub fn stretches(&self) -> &[(u64, u64)] {
        &self.0
    }

    /// Takes a number in; false if it was there.
    pub fn insert(&mut self, number: u64) -> bool {
        if let Some((_, last)) = self.0.last_mut()
            && last.checked_add(1) == Some(number)
        {
            *last = number;
            return true;
        }
        let after = self.0.partition_point(|(first, _)| *first <= number);
        if after > 0 && self.0[after - 1].1 >= number {
            return false;
        }
        let joins_before = after > 0 && self.0[after - 1].1 + 1 == number;
        let joins_after = self.0.get(after).is_some_and(|(first, _)| number + 1 == *first);
        match (joins_before, joins_after) {
            (true, true) => {
                self.0[after - 1].1 = self.0[after].1;
                self.0.remove(after);
            }
            (true, false) => self.0[after - 1].1 = number,
            (false, true) => self.0[after].0 = number,
            (false, false) => self.0.insert(after, (number, number)),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_is_a_set(numbers in prop::collection::vec(0u64..40, 0..80)) {
            let (mut ours, mut plain) = (Numbers::default(), BTreeSet::new());
            for number in numbers {
                prop_assert_eq!(ours.insert(number), plain.insert(number));
                prop_assert_eq!(&Numbers::from_stretches(ours.stretches()), &ours);
            }
            let all: Vec<u64> = ours.0.iter().flat_map(|(first, last)| *first..=*last).collect();
            prop_assert_eq!(all, plain.into_iter().collect::<Vec<u64>>());
        }
    }

    #[test]
    fn a_list_that_does_not_count_on_is_none_of_ours() {
        for wrong in [&[(5, 3)][..], &[(1, 3), (2, 5)], &[(1, 3), (4, 5)]] {
            assert_eq!(Numbers::from_stretches(wrong), Numbers::default(), "{wrong:?}");
        }
    }
}
