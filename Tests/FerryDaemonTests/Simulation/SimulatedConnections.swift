import FerryTransfer

@testable import FerryDaemon

/// The connections that a download has beside its first one, as `TaskConnections` has them counted.
final class SimulatedConnections {
    private let daemon: SimulatedDaemon
    private let task: Int64
    private let session: Int64
    /// The hosts that they lead to.
    private(set) var hosts: [String] = []

    init(task: Int64, session: Int64, daemon: SimulatedDaemon) {
        self.task = task
        self.session = session
        self.daemon = daemon
    }

    /// Asks for another one.
    ///
    /// - Returns: Whether it is lent.
    func ask(for address: String) -> Bool {
        let world = daemon.world
        guard let host = Origin(url: address)?.authority else {
            world.fail("\(address) has no host")
            return false
        }
        var isLent = daemon.driver.change {
            $0.lendConnection(task: task, session: session, host: host)
        }
        if world.sabotage == .takesUnlentConnections { isLent = true }
        world.count(isLent ? .connectionLent : .connectionRefused)
        guard isLent else { return false }
        hosts.append(host)
        world.note("a connection to \(host) is lent to session \(session)")
        world.promises.lent(host, session: session, in: world)
        return true
    }

    /// Gives one of them back.
    func giveBackOne() {
        guard !hosts.isEmpty else { return }
        giveBack(hosts.remove(at: daemon.world.random.number(below: hosts.count)))
    }

    /// Gives one back that was asked for, if there is one.
    func giveBackOne(to host: String?) {
        guard let index = hosts.lastIndex(where: { host == nil || $0 == host }) else { return }
        daemon.world.count(.connectionRecalled)
        giveBack(hosts.remove(at: index))
    }

    /// Gives all of them back.
    func giveBackAll() {
        let all = hosts
        hosts = []
        for host in all { giveBack(host) }
    }

    private func giveBack(_ host: String) {
        let world = daemon.world
        if world.sabotage == .keepsConnections, world.random.happens(percent: 10) { return }
        world.note("a connection to \(host) comes back from session \(session)")
        let isAwaited = daemon.driver.change {
            $0.takeBackConnection(task: task, session: session, host: host)
        }
        guard isAwaited else { return }
        world.count(.connectionAwaited)
        // Not from inside of what the machine has just asked for.
        daemon.plannedSearchCount += 1
        world.schedule(after: 0, daemon.lifetime) { [daemon] _ in
            daemon.plannedSearchCount -= 1
            daemon.input { machine, now in machine.searchForTasks(at: now) }
        }
    }
}
