import FerryWire
import FoundationEssentials

/// Keeps transfers from hosts that fail time and again (a circuit breaker).
///
/// Each transfer backs off by itself; a thousand of one host would still ask it all the time. After some failures in
/// a row, whichever of an application's transfers they were, the host is left alone by that application for a while,
/// and then asked by one transfer until that gets an answer.
///
/// What has failed for one application need not fail for another: it may have asked for something that nobody gets, in a
/// hurry, or too often. Nor need what has failed by a session's own proxy, or whom it trusts, fail by others.
struct HostBreaker: Hashable, Sendable {
    /// A host, as an application sees it by one way to connect.
    struct Line: Hashable, Sendable {
        /// The application's number.
        var application: Int64
        /// The host.
        var host: String
        /// How its connections are made; `nil` where nobody has said anything about that.
        var connections: Wire.Connections?
    }

    /// Why a host is left alone.
    enum Cause: Hashable, Sendable {
        /// Its server has not answered, or cannot serve anything.
        case failures(Int)
        /// Its server has asked to be left alone.
        case isAsked
    }

    private struct Circuit: Hashable, Sendable {
        var failureCount = 0
        /// Until when nobody asks.
        var until: Date?
        /// When it failed last.
        var failed: Date
        /// Whether its server has asked to be left alone, the last time.
        var isAsked = false
    }

    /// How many failures in a row it takes.
    static let threshold = 4
    /// A host that nobody has asked for so long is forgotten, in seconds.
    private static let memory: Double = 3600

    private var circuits: [Line: Circuit] = [:]

    /// A host has failed, without a byte of what was asked for.
    ///
    /// - Parameters:
    ///   - host: The host, and for which application it has failed.
    ///   - delay: How long the transfer waits that it has failed, in seconds.
    ///   - isAsked: Whether the host has asked for that.
    ///   - now: The time.
    mutating func failed(_ host: Line, delay: Double, isAsked: Bool, at now: Date) {
        if circuits[host] == nil { forgetOld(at: now) }
        var circuit = circuits[host] ?? Circuit(failed: now)
        circuit.failureCount += 1
        circuit.failed = now
        circuit.isAsked = isAsked
        if circuit.failureCount >= Self.threshold || isAsked {
            circuit.failureCount = max(circuit.failureCount, Self.threshold)
            circuit.until = now.addingTimeInterval(delay)
        }
        circuits[host] = circuit
    }

    /// A host has answered.
    mutating func answered(_ host: Line) { circuits[host] = nil }

    /// A person wants it tried.
    mutating func tryAll() {
        for host in circuits.keys { circuits[host]?.until = nil }
    }

    /// How many transfers may run for a host; `nil` for as many as its limits allow.
    func limit(_ host: Line, at now: Date) -> Int? {
        guard let circuit = circuits[host], circuit.failureCount >= Self.threshold else {
            return nil
        }
        return circuit.until.map { $0 > now } == true ? 0 : 1
    }

    /// Until when a host is left alone; `nil` if it is not.
    func end(_ host: Line, at now: Date) -> Date? {
        circuits[host]?.until.flatMap { $0 > now ? $0 : nil }
    }

    /// Whether no host fails.
    var isEmpty: Bool { circuits.isEmpty }

    /// How often in a row a host has failed.
    func failureCount(_ host: Line) -> Int { circuits[host]?.failureCount ?? 0 }

    /// Why a host is left alone, or asked by one transfer only.
    func cause(_ host: Line) -> Cause {
        circuits[host]?.isAsked == true ? .isAsked : .failures(failureCount(host))
    }

    /// The hosts that have failed too often, each with how many transfers may run for it.
    func limits(at now: Date) -> [Line: Int] {
        circuits.keys.reduce(into: [:]) { limits, host in limits[host] = limit(host, at: now) }
    }

    /// Whether a host fails, for whichever application.
    func hasFailed(_ host: String) -> Bool { circuits.keys.contains { $0.host == host } }

    /// When the first of them may be asked again.
    func earliestEnd(at now: Date) -> Date? {
        circuits.values.compactMap(\.until).filter { $0 > now }.min()
    }

    private mutating func forgetOld(at now: Date) {
        circuits = circuits.filter { now.timeIntervalSince($0.value.failed) < Self.memory }
    }
}

/// The hosts that have answered since the daemon began: there is a server, whatever fails now.
struct AnsweringHosts: Hashable, Sendable {
    /// How many are known at once; of more, those are forgotten that have not answered for longest.
    static let limit = 4096

    /// When each answered last, in the order of all answers.
    private var turns: [HostBreaker.Line: UInt64] = [:]
    private var count: UInt64 = 0

    /// A host has answered.
    mutating func note(_ host: HostBreaker.Line) {
        count += 1
        turns[host] = count
        // Half of them at once, as it takes a look at all.
        guard turns.count > Self.limit else { return }
        let middle = turns.values.sorted()[turns.count / 2]
        turns = turns.filter { $0.value > middle }
    }

    /// Whether a host has answered.
    func contains(_ host: HostBreaker.Line) -> Bool { turns[host] != nil }
}
