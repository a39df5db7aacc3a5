//! Random numbers that a seed decides, the same on every machine.

/// SplitMix64: small, fast, and good enough to choose what a disk loses.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// A generator of its own for one purpose, so that another draw elsewhere changes nothing here.
    pub fn fork(&self, purpose: u64) -> Self {
        let mut forked =
            Self::new(self.0.wrapping_add(purpose.wrapping_mul(0xd134_2543_de82_ef95)));
        forked.draw();
        forked
    }

    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below the bound; zero when the bound is zero.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 {
            return 0;
        }
        (self.draw() % bound as u64) as usize
    }

    /// True so many times in a hundred.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}
