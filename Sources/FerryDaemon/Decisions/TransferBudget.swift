import FerryTransfer

/// Counts the transfers that run, against the limits for all, for a host, and for a session's
/// transfers from a host.
struct TransferBudget: Hashable, Sendable {
    /// A session's transfers from one host.
    private struct Lane: Hashable, Sendable {
        var session: Int64
        var host: String
    }

    private var connections: ConnectionBudget
    private var lanes: [Lane: Int] = [:]

    /// Creates an empty budget.
    init(policy: DaemonPolicy) {
        connections = ConnectionBudget(
            limit: policy.maximumTransfers,
            limitPerHost: policy.maximumTransfersPerHost
        )
    }

    /// How many transfers run.
    var count: Int { connections.count }

    /// How many more transfers may start at all.
    var free: Int { connections.limit - connections.count }

    /// How many more transfers may start for a host.
    func free(host: String) -> Int { connections.room(forHost: host) }

    /// How many transfers run for a host.
    func count(host: String) -> Int { connections.count(forHost: host) }

    /// How many of a session's transfers run for a host.
    func count(session: Int64, host: String) -> Int {
        lanes[Lane(session: session, host: host), default: 0]
    }

    /// Whether another transfer may start.
    func admits(session: Int64, host: String, sessionLimit: Int) -> Bool {
        free(host: host) > 0 && count(session: session, host: host) < max(1, sessionLimit)
    }

    /// Whether a transfer may have a further connection.
    ///
    /// The last place is never lent. So the next task finds room at once, and those that come after it get
    /// what is given back, as then there is none to spare.
    func canLend(session: Int64, host: String, sessionLimit: Int) -> Bool {
        free(host: host) > 1 && count(session: session, host: host) + 1 < sessionLimit
    }

    /// Whether nothing may start for a session and a host.
    func isFull(session: Int64, host: String, sessionLimit: Int) -> Bool {
        !admits(session: session, host: host, sessionLimit: sessionLimit)
    }

    /// Notes a transfer that starts; it must be admitted.
    mutating func take(session: Int64, host: String) {
        _ = connections.take(forHost: host)
        lanes[Lane(session: session, host: host), default: 0] += 1
    }

    /// Notes that a transfer waits for its application: it is in the way of its own session's alone, which
    /// would ask the same.
    mutating func park(host: String) { connections.giveBack(forHost: host) }

    /// Notes that a transfer goes on that has waited for its application, also where there is no room: what
    /// has begun to load is not held back.
    mutating func unpark(host: String) { connections.takeAgain(forHost: host) }

    /// Notes a transfer that has ended.
    mutating func give(session: Int64, host: String, isParked: Bool = false) {
        if !isParked { connections.giveBack(forHost: host) }
        let lane = Lane(session: session, host: host)
        lanes[lane] = lanes[lane].flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    /// The hosts that transfers run for.
    var activeHosts: Set<String> { Set(lanes.keys.map(\.host)) }

    /// The hosts that have as many transfers as they may.
    var saturatedHosts: Set<String> { activeHosts.filter { free(host: $0) == 0 } }

    /// The sessions that have as many transfers from a host as they may.
    func saturatedSessions(host: String, limit: (Int64) -> Int) -> Set<Int64> {
        Set(
            lanes.filter { $0.key.host == host && $0.value >= max(1, limit($0.key.session)) }
                .map(\.key.session)
        )
    }
}
