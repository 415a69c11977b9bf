import FerrySystem

/// The seeds of the random histories that a test goes through.
///
/// They are fresh in each run. `FERRY_SIMULATION_SEED` repeats the history of one seed,
/// `FERRY_SIMULATION_COUNT` sets how many histories there are, and `FERRY_SIMULATION_FIRST` the first of them: the same
/// histories of two versions can be compared.
package struct HistorySeeds: Sendable {
    /// The seeds, which follow one another.
    package let all: Range<UInt64>
    /// Whether one history is repeated, to look at it.
    package let isReplay: Bool

    /// Seeds for a number of histories, unless the environment says otherwise.
    package init(count: Int) {
        if let seed = ProcessEnvironment["FERRY_SIMULATION_SEED"].flatMap({ UInt64($0) }) {
            all = seed..<seed + 1
            isReplay = true
        } else {
            let count = ProcessEnvironment["FERRY_SIMULATION_COUNT"].flatMap { Int($0) } ?? count
            let chosen = ProcessEnvironment["FERRY_SIMULATION_FIRST"].flatMap { UInt64($0) }
            let first = chosen ?? UInt64.random(in: 0..<1 << 62)
            all = first..<first + UInt64(max(count, 0))
            isReplay = false
        }
    }
}
