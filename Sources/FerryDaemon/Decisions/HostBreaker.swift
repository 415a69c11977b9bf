import FoundationEssentials

/// Keeps transfers from hosts that fail time and again (a circuit breaker).
///
/// Each transfer backs off by itself; a thousand of one host would still ask it all the time. After some failures in
/// a row, whichever transfers they were, the host is left alone for a while, and then asked by one transfer until
/// that gets an answer.
struct HostBreaker: Hashable, Sendable {
    private struct Circuit: Hashable, Sendable {
        var failureCount = 0
        /// Until when nobody asks.
        var until: Date?
        /// When it failed last.
        var failed: Date
    }

    /// How many failures in a row it takes.
    static let threshold = 4
    /// A host that nobody has asked for so long is forgotten, in seconds.
    private static let memory: Double = 3600

    private var circuits: [String: Circuit] = [:]

    /// A host has failed, without a byte of an answer.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - delay: How long the transfer waits that it has failed, in seconds.
    ///   - isAsked: Whether the host has asked for that.
    ///   - now: The time.
    mutating func failed(_ host: String, delay: Double, isAsked: Bool, at now: Date) {
        if circuits[host] == nil { forgetOld(at: now) }
        var circuit = circuits[host] ?? Circuit(failed: now)
        circuit.failureCount += 1
        circuit.failed = now
        if circuit.failureCount >= Self.threshold || isAsked {
            circuit.failureCount = max(circuit.failureCount, Self.threshold)
            circuit.until = now.addingTimeInterval(delay)
        }
        circuits[host] = circuit
    }

    /// A host has answered.
    mutating func answered(_ host: String) { circuits[host] = nil }

    /// A person wants it tried.
    mutating func tryAll() {
        for host in circuits.keys { circuits[host]?.until = nil }
    }

    /// How many transfers may run for a host; `nil` for as many as its limits allow.
    func limit(_ host: String, at now: Date) -> Int? {
        guard let circuit = circuits[host], circuit.failureCount >= Self.threshold else {
            return nil
        }
        return circuit.until.map { $0 > now } == true ? 0 : 1
    }

    /// Until when a host is left alone; `nil` if it is not.
    func end(_ host: String, at now: Date) -> Date? {
        circuits[host]?.until.flatMap { $0 > now ? $0 : nil }
    }

    /// How often in a row a host has failed.
    func failureCount(_ host: String) -> Int { circuits[host]?.failureCount ?? 0 }

    /// The hosts that have failed too often, each with how many transfers may run for it.
    func limits(at now: Date) -> [String: Int] {
        circuits.keys.reduce(into: [:]) { limits, host in limits[host] = limit(host, at: now) }
    }

    /// When the first of them may be asked again.
    func earliestEnd(at now: Date) -> Date? {
        circuits.values.compactMap(\.until).filter { $0 > now }.min()
    }

    private mutating func forgetOld(at now: Date) {
        circuits = circuits.filter { now.timeIntervalSince($0.value.failed) < Self.memory }
    }
}
