import FerrySystem

/// Counts the connections that all sessions of a process have together, and offers free ones to the sessions that wait,
/// in turns.
///
/// The limit for each host does not limit an app that asks a thousand hosts. A connection needs a descriptor, and so do
/// the file of a download and much else in the app.
@LoopActor
final class ProcessConnections {
    /// The connections of this process: a quarter of the descriptors that it may have, from 16 to 1024.
    nonisolated static let shared = ProcessConnections(
        limit: min(1024, max(16, ProcessAttributes.currentDescriptorLimit / 4))
    )

    private let limit: Int
    private var count = 0
    /// The sessions that wait, the next one first.
    private var waiting: [Waiting] = []

    private struct Waiting {
        weak var session: (any ConnectionWaiter)?
    }

    nonisolated init(limit: Int) { self.limit = max(1, limit) }

    /// Whether there is a connection to take.
    var hasRoom: Bool { count < limit }

    /// Takes a connection, if there is one.
    func take() -> Bool {
        guard hasRoom else { return false }
        count += 1
        return true
    }

    /// Gives a connection back, and offers it to the next session that waits.
    func giveBack() {
        count -= 1
        while hasRoom, !waiting.isEmpty { waiting.removeFirst().session?.connectionIsFree() }
    }

    /// Offers a session the next free connection that is its turn; a session that waits does not call it again.
    func wait(_ session: any ConnectionWaiter) { waiting.append(Waiting(session: session)) }
}

/// A session whose tasks wait for a connection.
@LoopActor
protocol ConnectionWaiter: AnyObject {
    /// A connection is free: one may be taken, and ``ProcessConnections/wait(_:)`` called for more.
    func connectionIsFree()
}

/// Hosts in the order in which they began to wait, each once.
struct WaitingHosts {
    private var order: ArraySlice<String> = []
    private var hosts: Set<String> = []

    var isEmpty: Bool { order.isEmpty }

    /// Adds a host behind the others, unless it waits already.
    mutating func append(_ host: String) {
        if hosts.insert(host).inserted { order.append(host) }
    }

    /// Takes the host that has waited longest.
    mutating func popFirst() -> String? {
        guard let host = order.popFirst() else { return nil }
        hosts.remove(host)
        return host
    }
}
