/// Counts connections against a limit for all and a limit for each host.
///
/// It only counts: its owner chooses which request is admitted next.
package struct ConnectionBudget: Hashable, Sendable {
    /// The answer to a request for a connection.
    package enum Admission: Hashable, Sendable {
        /// There is room.
        case admitted
        /// The host has reached its limit of connections.
        case hostLimit
        /// The limit of all connections is reached.
        case connectionLimit
    }

    /// The maximum number of connections; at least 1.
    package var limit: Int
    /// The maximum number of connections to a host unless the request says otherwise; at least 1.
    package var limitPerHost: Int
    /// The current number of connections.
    package private(set) var count = 0
    private var countsByHost: [String: Int] = [:]

    /// Makes an empty budget; a limit below 1 counts as 1, so that there is always progress.
    package init(limit: Int, limitPerHost: Int) {
        self.limit = max(1, limit)
        self.limitPerHost = max(1, limitPerHost)
    }

    /// Returns the number of connections to a host.
    package func count(forHost host: String) -> Int { countsByHost[host, default: 0] }

    /// Returns whether there is room for another connection to a host, without taking it.
    ///
    /// - Parameters:
    ///   - host: Any key that stands for the host, such as ``Origin/description``.
    ///   - limitPerHost: The limit for this request in place of the budget's.
    /// - Returns: Whether there is room, or which limit is in the way.
    package func admission(forHost host: String, limitPerHost: Int? = nil) -> Admission {
        if count >= limit { return .connectionLimit }
        let hostLimit = max(1, limitPerHost ?? self.limitPerHost)
        return count(forHost: host) >= hostLimit ? .hostLimit : .admitted
    }

    /// Returns how many further connections to a host there is room for.
    package func room(forHost host: String, limitPerHost: Int? = nil) -> Int {
        let hostLimit = max(1, limitPerHost ?? self.limitPerHost)
        return max(0, min(limit - count, hostLimit - count(forHost: host)))
    }

    /// Takes a connection to a host if there is room.
    ///
    /// - Parameters:
    ///   - host: Any key that stands for the host.
    ///   - limitPerHost: The limit for this request in place of the budget's.
    /// - Returns: Whether it was taken, or which limit is in the way.
    package mutating func take(forHost host: String, limitPerHost: Int? = nil) -> Admission {
        let admission = admission(forHost: host, limitPerHost: limitPerHost)
        if admission == .admitted {
            count += 1
            countsByHost[host, default: 0] += 1
        }
        return admission
    }

    /// Takes a connection to a host even if there is no room, for a transfer that resumes.
    package mutating func takeAgain(forHost host: String) {
        count += 1
        countsByHost[host, default: 0] += 1
    }

    /// Gives a connection to a host back; does nothing if none was taken.
    package mutating func giveBack(forHost host: String) {
        guard let taken = countsByHost[host] else { return }
        count -= 1
        // A host without connections is forgotten: a daemon sees many over the years.
        countsByHost[host] = taken > 1 ? taken - 1 : nil
    }
}
