import FerryStore
import FerryTransfer

/// Counts the transfers that run, against the limits for all, for a host, and for a session's
/// transfers from a host, and how many of the slots each application has.
struct TransferBudget: Hashable, Sendable {
    /// A session's transfers from one host.
    private struct Key: Hashable, Sendable {
        var session: SessionID
        var host: String
    }

    /// A session's use of a host's slots.
    private struct Use: Hashable, Sendable {
        var application: ApplicationID
        /// The number of transfers that count against the session's own limit.
        var count = 0
        /// The number of them that wait for their application, and leave their slots to others.
        var waitingCount = 0

        var slots: Int { count - waitingCount }
    }

    private var connections: ConnectionBudget
    private var uses: [Key: Use] = [:]

    /// Creates an empty budget.
    init(policy: DaemonPolicy) {
        connections = ConnectionBudget(
            limit: policy.maximumTransfers,
            limitPerHost: policy.maximumTransfersPerHost
        )
    }

    // MARK: Limits

    /// Changes the limits; there may be more transfers than they allow, until enough have ended.
    mutating func limit(by policy: DaemonPolicy) {
        connections.limit = max(1, policy.maximumTransfers)
        connections.limitPerHost = max(1, policy.maximumTransfersPerHost)
    }

    /// The number of transfers that run.
    var count: Int { connections.count }

    /// The number of transfers that may still start in total.
    var free: Int { max(0, connections.limit - connections.count) }

    /// Returns the number of transfers that may still start for a host.
    func free(host: String) -> Int { connections.room(forHost: host) }

    /// Returns the number of transfers that run for a host.
    func count(host: String) -> Int { connections.count(forHost: host) }

    /// Whether a host has as many transfers as it may.
    func isFull(host: String) -> Bool { count(host: host) >= connections.limitPerHost }

    /// Returns the number of a session's transfers that run for a host.
    func count(session: SessionID, host: String) -> Int {
        uses[Key(session: session, host: host)]?.count ?? 0
    }

    /// Whether another transfer may start.
    func admits(session: SessionID, host: String, sessionLimit: Int) -> Bool {
        free(host: host) > 0
            && isBelowSessionLimit(session: session, host: host, sessionLimit: sessionLimit)
    }

    /// Whether a session may have another transfer from a host, were there room for it.
    func isBelowSessionLimit(session: SessionID, host: String, sessionLimit: Int) -> Bool {
        count(session: session, host: host) < max(1, sessionLimit)
    }

    /// Whether a transfer may have a further connection.
    ///
    /// The last slot is never lent, so that the next task finds room at once. Later tasks get the connections that are
    /// given back, as none are lent then.
    func canLend(session: SessionID, host: String, sessionLimit: Int) -> Bool {
        free(host: host) > 1 && count(session: session, host: host) + 1 < sessionLimit
    }

    /// Whether nothing may start for a session and a host.
    func isFull(session: SessionID, host: String, sessionLimit: Int) -> Bool {
        !admits(session: session, host: host, sessionLimit: sessionLimit)
    }

    // MARK: Taking and giving

    /// Records a transfer that starts; it must be admitted.
    mutating func take(session: SessionID, of application: ApplicationID, host: String) {
        _ = connections.take(forHost: host)
        uses[Key(session: session, host: host), default: Use(application: application)].count += 1
    }

    /// Records that a transfer waits for its application: it blocks only those of its own session, which would ask the
    /// same.
    mutating func beginWait(session: SessionID, host: String) {
        connections.giveBack(forHost: host)
        uses[Key(session: session, host: host)]?.waitingCount += 1
    }

    /// Records that a transfer continues after it has waited for its application, even without room: a transfer that
    /// has begun to load is not held back.
    mutating func endWait(session: SessionID, host: String) {
        connections.takeAgain(forHost: host)
        uses[Key(session: session, host: host)]?.waitingCount -= 1
    }

    /// Records a transfer that has ended.
    mutating func give(session: SessionID, host: String, isWaiting: Bool = false) {
        if !isWaiting { connections.giveBack(forHost: host) }
        let key = Key(session: session, host: host)
        guard var use = uses[key] else { return }
        use.count -= 1
        if isWaiting { use.waitingCount -= 1 }
        uses[key] = use.count > 0 ? use : nil
    }

    // MARK: Usage

    /// The hosts that transfers run for.
    var activeHosts: Set<String> { Set(uses.keys.map(\.host)) }

    /// The hosts that have as many transfers as they may.
    var saturatedHosts: Set<String> { activeHosts.filter { free(host: $0) == 0 } }

    /// The sessions that have as many transfers from a host as they may.
    func saturatedSessions(host: String, limit: (SessionID) -> Int) -> Set<SessionID> {
        Set(
            uses.filter { $0.key.host == host && $0.value.count >= max(1, limit($0.key.session)) }
                .map(\.key.session)
        )
    }

    /// Returns the number of slots that each application has, in total or for a host.
    func slots(host: String? = nil) -> [ApplicationID: Int] {
        uses.reduce(into: [:]) { slots, use in
            guard host == nil || host == use.key.host else { return }
            slots[use.value.application, default: 0] += use.value.slots
        }
    }

    /// Returns the number of a host's slots that some of an application's sessions have.
    func slots(
        of application: ApplicationID,
        host: String,
        among isMeant: (SessionID) -> Bool
    ) -> Int {
        uses.reduce(0) { count, use in
            guard use.value.application == application, use.key.host == host,
                isMeant(use.key.session)
            else { return count }
            return count + use.value.slots
        }
    }

    /// Returns the number of slots that an application has, in total or for a host.
    func slots(of application: ApplicationID, host: String? = nil) -> Int {
        uses.reduce(0) { count, use in
            guard use.value.application == application, host == nil || host == use.key.host else {
                return count
            }
            return count + use.value.slots
        }
    }
}
