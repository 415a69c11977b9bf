/// Counts connections against a limit for all and a limit for each host.
///
/// It only counts: who is admitted next is its owner's choice.
package struct ConnectionBudget: Hashable, Sendable {
    /// The answer to a request for a connection.
    package enum Admission: Hashable, Sendable {
        /// There is room.
        case admitted
        /// The host has as many connections as it may.
        case hostLimit
        /// There are as many connections as there may be.
        case connectionLimit
    }

    /// How many connections there may be; at least 1.
    package let limit: Int
    /// How many connections there may be to a host unless the request says otherwise; at least 1.
    package let limitPerHost: Int
    /// How many connections there are.
    package private(set) var count = 0
    private var countsByHost: [String: Int] = [:]

    /// Makes an empty budget; a limit below 1 counts as 1, so that there is always progress.
    package init(limit: Int, limitPerHost: Int) {
        self.limit = max(1, limit)
        self.limitPerHost = max(1, limitPerHost)
    }

    /// How many connections there are to a host.
    package func count(forHost host: String) -> Int { countsByHost[host, default: 0] }

    /// Whether another connection to a host has room, without taking it.
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

    /// How many further connections to a host have room now.
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

    /// Takes a connection to a host, whether there is room or not: for one that goes on.
    package mutating func takeAgain(forHost host: String) {
        count += 1
        countsByHost[host, default: 0] += 1
    }

    /// Gives a connection to a host back; without one that was taken, nothing happens.
    package mutating func giveBack(forHost host: String) {
        guard let taken = countsByHost[host] else { return }
        count -= 1
        // A host without connections is forgotten: a daemon sees many over the years.
        countsByHost[host] = taken > 1 ? taken - 1 : nil
    }
}
