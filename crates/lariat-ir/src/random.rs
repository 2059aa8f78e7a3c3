//! Pseudo-random numbers, for tests, fuzzers and trials.

/// A small generator (splitmix64): one seed, one stream, on every machine.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }
    /// A stream for the n-th of many independent tasks.
    pub fn for_task(seed: u64, n: u64) -> Self {
        let mut r = Self(seed ^ n.wrapping_mul(0xd134_2543_de82_ef95));
        r.next();
        r
    }
    /// The next 64 bits.
    #[expect(clippy::should_implement_trait, reason = "an endless stream of words, not an iterator to collect")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }
    /// A number below `n`, which is not zero.
    pub fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).expect("a number below a usize is one")
    }
    /// A number from `lo` to `hi`, both included.
    pub fn between(&mut self, lo: i64, hi: i64) -> i64 {
        lo + i64::try_from(self.below(usize::try_from(hi - lo + 1).expect("lo is not above hi"))).expect("small")
    }
    /// True in `percent` of 100 cases.
    pub fn percent(&mut self, percent: u32) -> bool {
        self.below(100) < percent as usize
    }
    /// The value of one of several.
    pub fn choose<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
    /// One of several.
    pub fn pick<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[self.below(of.len())]
    }
}

/// Spreads what distinguishes two words over all their bits.
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
