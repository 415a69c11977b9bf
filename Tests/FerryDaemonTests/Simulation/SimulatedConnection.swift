import FerryWire

@testable import FerryDaemon

/// A client's connection to the daemon: two pipes that keep the order.
final class SimulatedConnection {
    let id: DaemonStateMachine.ConnectionIdentifier
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
        id = daemon.world.makeNumber()
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
