/// Random numbers that a seed determines: SplitMix64.
///
/// Source: https://prng.di.unimi.it/splitmix64.c
struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, but without, `end`.
    ///
    /// The remainder is not quite even, which does not matter here and is fast.
    mutating func number(below end: Int) -> Int { Int(truncatingIfNeeded: next() >> 33) % end }

    /// Whether something happens that does so `part` times in a hundred.
    mutating func happens(percent part: Double) -> Bool { fraction() * 100 < part }

    /// A number from 0 up to, but without, 1.
    mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// One of some values.
    mutating func one<Value>(of values: [Value]) -> Value { values[number(below: values.count)] }
}
