import FerryStore
import FerryWire
import FoundationEssentials

/// Keeps transfers from hosts that fail repeatedly (a circuit breaker).
///
/// Each transfer backs off by itself, but a thousand for one host would still ask it all the time. After some
/// consecutive failures of any of an application's transfers, the application backs off from the host for a while. Then
/// one transfer asks the host until it gets an answer.
///
/// A server that says that it is not available has answered, and may serve other files: the application backs off for a second
/// only, so that a transfer that it serves need not wait long for those that it does not. Thousands of transfers do not
/// use up their attempts then, while it is not available at all.
///
/// A failure for one application need not be one for another: the first may have requested something that no client
/// gets, in a hurry, or too often. Nor need a failure with a session's own proxy or trusted authorities be one with
/// others.
struct HostBreaker: Hashable, Sendable {
    /// A host, as an application reaches it with one set of connection settings.
    struct Line: Hashable, Sendable {
        /// The application's number.
        var application: ApplicationID
        /// The host.
        var host: String
        /// The settings of its connections; `nil` for the default.
        var connections: Wire.Connections?
    }

    /// Why an application backs off from a host.
    enum Cause: Hashable, Sendable {
        /// Its server has not answered, or cannot serve anything.
        case failures(Int)
        /// Its server has asked for that (`Retry-After`).
        case isAsked
    }

    private struct Circuit: Hashable, Sendable {
        var failureCount = 0
        /// Until when no transfer asks.
        var until: Date?
        /// When it failed last.
        var failed: Date
        /// Whether its server asked for that (`Retry-After`), the last time.
        var isAsked = false

        /// No transfer asks until a date, if there were enough failures.
        mutating func backOff(until end: Date, isAsked: Bool) {
            // What the server has asked for holds, whatever it says to those that were under way.
            if self.isAsked, let until, until >= end { return }
            self.isAsked = isAsked
            if failureCount >= HostBreaker.threshold { until = end }
        }
    }

    /// The number of consecutive failures that it takes.
    static let threshold = 4
    /// The time since its last failure after which a host is forgotten, in seconds.
    private static let memory: Double = 3600

    private var circuits: [Line: Circuit] = [:]
    /// Whether more transfers may run for a host.
    private var opening = Mark()

    /// Records that a host has failed, without a byte of what was requested.
    ///
    /// - Parameters:
    ///   - host: The host, and for which application it has failed.
    ///   - delay: The time for which the application backs off, in seconds.
    ///   - isAsked: Whether the host has asked for that.
    ///   - now: The time.
    mutating func failed(_ host: Line, delay: Double, isAsked: Bool, at now: Date) {
        if circuits[host] == nil { forgetOld(at: now) }
        var circuit = circuits[host] ?? Circuit(failed: now)
        circuit.failureCount = max(circuit.failureCount + 1, isAsked ? Self.threshold : 0)
        circuit.failed = now
        circuit.backOff(until: now.addingTimeInterval(delay), isAsked: isAsked)
        circuits[host] = circuit
    }

    /// Records that a host has answered.
    mutating func answered(_ host: Line) {
        if circuits.removeValue(forKey: host) != nil { opening.set() }
    }

    /// Lets all hosts be tried again without waiting.
    mutating func tryAll() {
        if !circuits.isEmpty { opening.set() }
        for host in circuits.keys { circuits[host]?.until = nil }
    }

    /// Returns whether more transfers may run for a host, since this was last called.
    mutating func takeOpening() -> Bool { opening.take() }

    /// Returns the number of transfers that may run for a host; `nil` for as many as its limits allow.
    func limit(_ host: Line, at now: Date) -> Int? {
        guard let circuit = circuits[host], circuit.failureCount >= Self.threshold else {
            return nil
        }
        return circuit.until.map { $0 > now } == true ? 0 : 1
    }

    /// Returns until when an application backs off from a host; `nil` if it does not.
    func end(_ host: Line, at now: Date) -> Date? {
        circuits[host]?.until.flatMap { $0 > now ? $0 : nil }
    }

    /// Whether no host fails.
    var isEmpty: Bool { circuits.isEmpty }

    /// Returns the number of consecutive failures of a host.
    func failureCount(_ host: Line) -> Int { circuits[host]?.failureCount ?? 0 }

    /// Why an application backs off from a host, or asks it by one transfer only.
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

/// The hosts that have answered since the daemon started: there is a server, whatever fails now.
struct AnsweringHosts: Hashable, Sendable {
    /// The maximum number of hosts; beyond it, those that have not answered for longest are forgotten.
    static let limit = 4096

    /// When each answered last, in the order of all answers.
    private var turns: [HostBreaker.Line: UInt64] = [:]
    private var count: UInt64 = 0

    /// A host has answered.
    mutating func record(_ host: HostBreaker.Line) {
        count += 1
        turns[host] = count
        // This forgets half of them at once, as it examines all.
        guard turns.count > Self.limit else { return }
        let middle = turns.values.sorted()[turns.count / 2]
        turns = turns.filter { $0.value > middle }
    }

    /// Whether a host has answered.
    func contains(_ host: HostBreaker.Line) -> Bool { turns[host] != nil }
}
