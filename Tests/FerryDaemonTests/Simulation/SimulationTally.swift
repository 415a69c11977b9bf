/// What has happened in many histories.
struct SimulationTally {
    private(set) var historyCount = 0
    /// How often each thing has happened.
    private(set) var happenings: [Happening: Int] = [:]
    /// How many things have happened, of any kind.
    private(set) var eventCount = 0
    /// Whether a promise was broken.
    private(set) var hasFailed = false

    mutating func count(_ simulation: Simulation) {
        historyCount += 1
        eventCount += simulation.eventCount
        happenings.merge(simulation.happenings, uniquingKeysWith: +)
        hasFailed = hasFailed || simulation.violation != nil
    }

    mutating func add(_ other: SimulationTally) {
        historyCount += other.historyCount
        eventCount += other.eventCount
        happenings.merge(other.happenings, uniquingKeysWith: +)
        hasFailed = hasFailed || other.hasFailed
    }

    /// The numbers in words.
    func summary(of seeds: Range<UInt64>, after duration: Duration) -> String {
        let seconds = max(duration / .seconds(1), 0.001)
        let rate = Int(Double(historyCount) / seconds)
        let counts = Happening.allCases.map { "\($0) \(happenings[$0] ?? 0)" }
        return """
            \(historyCount) histories from seed \(seeds.lowerBound) on, \(eventCount) events, in \
            \(Int(seconds)) s: \(rate) histories a second\(hasFailed ? ", FAILED" : "")
            \(counts.joined(separator: ", "))
            """
    }
}
