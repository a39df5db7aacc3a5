//! Numbers that a seed gives again.

use std::hash::{BuildHasher, Hasher};

#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    /// The dice of one round: other numbers for each, the same for the same.
    pub fn of(seed: u64, round: u64) -> Self {
        Self(seed ^ round.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub fn throw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.throw() % end.max(1)
    }

    pub fn bytes(&mut self) -> Vec<u8> {
        (0..64).flat_map(|_| self.throw().to_le_bytes()).collect()
    }
}

/// A seed that nobody chose.
pub fn random_seed() -> u64 {
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use super::Dice;

    #[test]
    fn a_seed_gives_the_same_numbers_again_and_each_round_others() {
        let throws = |round| (0..4).map(|_| Dice::of(7, round).throw()).collect::<Vec<_>>();
        assert_eq!(throws(1), throws(1));
        assert_ne!(throws(1), throws(2));
    }
}
