import FerryStore
import FerryTransfer
import FerryWire

@testable import FerryDaemon

/// The connections that a download has beside its first one, as `TaskConnections` has them counted.
final class SimulatedConnections {
    private let daemon: SimulatedDaemon
    private let task: TaskID
    private let session: SessionID
    /// The hosts that they lead to.
    private(set) var hosts: [String] = []

    init(task: TaskID, session: SessionID, daemon: SimulatedDaemon) {
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
        world.record("a connection to \(host) is lent to session \(session)")
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
        daemon.world.count(.connectionRevoked)
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
        world.record("a connection to \(host) comes back from session \(session)")
        let isAwaited = daemon.driver.change {
            $0.takeBackConnection(task: task, session: session, host: host)
        }
        guard isAwaited else { return }
        world.count(.connectionAwaited)
        // Not from inside of what the machine has just asked for.
        daemon.plannedSearchCount += 1
        world.schedule(after: 0, daemon.lifetime) { [daemon] _ in
            daemon.plannedSearchCount -= 1
            daemon.input { machine in machine.searchForTasks() }
        }
    }
}

/// A client's connection to the daemon: two pipes that keep the order.
final class SimulatedConnection {
    let id: ConnectionID
    let process: SimulatedProcess
    let daemon: SimulatedDaemon
    /// Over when the client has closed it or the daemon is gone.
    let lifetime = Lifetime()
    private let onClose: () -> Void
    private var lastCallTime = 0.0
    private var lastReplyTime = 0.0

    /// Connects; the daemon hears of it a moment later.
    init(
        _ process: SimulatedProcess,
        to daemon: SimulatedDaemon,
        onClose: @escaping () -> Void
    ) {
        id = ConnectionID(daemon.world.makeNumber())
        self.process = process
        self.daemon = daemon
        self.onClose = onClose
        daemon.arriving.append(self)
        sendToDaemon { $0.accept(self) }
    }

    private var delay: Double { daemon.world.random.fraction() * 0.01 }

    private func sendToDaemon(_ message: @escaping (SimulatedDaemon) -> Void) {
        let world = daemon.world
        lastCallTime = max(lastCallTime, world.now + delay, daemon.bootTime)
        world.schedule(at: lastCallTime, daemon.lifetime) { [daemon] _ in message(daemon) }
    }

    /// Sends a call; what a client has sent arrives even if it is gone meanwhile.
    func send(_ call: SimulatedCall) { sendToDaemon { $0.handle(call, over: self) } }

    /// Gives the client something; what the daemon has sent arrives even if it is gone meanwhile.
    func deliver(_ message: @escaping () -> Void) {
        let world = daemon.world
        lastReplyTime = max(lastReplyTime, world.now + delay)
        world.schedule(at: lastReplyTime, process.lifetime) { [lifetime] _ in
            if !lifetime.isOver { message() }
        }
    }

    /// The client closes it, or is gone.
    func close() {
        guard !lifetime.isOver else { return }
        lifetime.end()
        sendToDaemon { $0.disconnect(self) }
    }

    /// The daemon is gone.
    func lose() {
        let world = daemon.world
        lastReplyTime = max(lastReplyTime, world.now + delay)
        world.schedule(at: lastReplyTime, process.lifetime) { [self] _ in
            guard !lifetime.isOver else { return }
            lifetime.end()
            onClose()
        }
    }
}
