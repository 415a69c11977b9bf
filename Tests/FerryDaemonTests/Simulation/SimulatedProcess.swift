import FerryStore
import FerryWire

@testable import FerryDaemon

/// A process of an application, or of the `ferry` command, with the library in it.
final class SimulatedProcess {
    let id: Int32
    let program: SimulatedProgram
    unowned let world: Simulation
    /// Whether the daemon has started it.
    let isLaunched: Bool
    let lifetime = Lifetime()
    private(set) var sessions: [SimulatedSession] = []
    private(set) var connection: SimulatedConnection?
    /// Called when it has ended.
    var onExit: () -> Void = {}
    private let isCommand: Bool

    /// Starts a process of an application.
    ///
    /// - Parameters:
    ///   - program: What it runs.
    ///   - world: Where it runs.
    ///   - session: The session that the daemon has started it for.
    init(_ program: SimulatedProgram, in world: Simulation, for session: String? = nil) {
        id = world.makeProcessNumber()
        self.program = program
        self.world = world
        isLaunched = session != nil
        isCommand = false
        world.record("process \(id) of \(program.name) starts\(isLaunched ? ", launched" : "")")
        world.processes.append(self)
        sessions = program.sessionNames.map { SimulatedSession($0, in: self) }
        // Some want only one of their sessions.
        if session == nil, world.season != .harvest, world.happens(perThousand: 300) {
            sessions = [world.random.one(of: sessions)]
        } else if let session, world.random.happens(percent: 30) {
            sessions.removeAll { $0.name != session }
        }
        world.schedule(after: world.random.fraction() * 0.3, lifetime) { [self] _ in connect() }
        scheduleAction()
    }

    /// Starts a process of the `ferry` command.
    init(command world: Simulation) {
        id = world.makeProcessNumber()
        program = world.programs[0]
        self.world = world
        isLaunched = false
        isCommand = true
    }

    /// Ends it: it exits, crashes or is killed, which makes no difference to anybody else.
    func end() {
        guard !lifetime.isOver else { return }
        if !isCommand { world.record("process \(id) ends") }
        lifetime.end()
        closeConnections()
        for session in sessions { session.abandon() }
        sessions = []
        world.processes.removeAll { $0 === self }
        onExit()
        onExit = {}
    }

    // MARK: The connection

    private func connect() {
        let daemon = world.daemonForClient()
        connection = SimulatedConnection(self, to: daemon) { [self] in lost() }
        for session in sessions { session.open() }
    }

    private func closeConnections() {
        connection?.close()
        connection = nil
        for session in sessions { session.close() }
    }

    /// A connection is lost: the library connects anew.
    func lost() {
        guard !lifetime.isOver else { return }
        closeConnections()
        world.schedule(after: 0.01 + world.random.fraction() * 0.5, lifetime) { [self] _ in
            connect()
        }
    }

    /// Makes the one call of a command.
    func command(_ content: SimulatedCall.Content) {
        let daemon = world.daemonForClient()
        let connection = SimulatedConnection(self, to: daemon) { [self] in end() }
        self.connection = connection
        connection.send(SimulatedCall(content) { [self] _ in end() })
    }

    // MARK: What it does

    /// An event arrives.
    func take(_ event: Wire.Event, of session: SessionID) {
        sessions.first { $0.number == session }?.take(event)
    }

    /// A session of its own that is open in the eyes of everybody.
    var hasOpenSession: Bool { sessions.contains { $0.isOpen } }

    /// Whether one session is.
    func hasOpen(_ session: SessionID) -> Bool {
        sessions.contains { $0.isOpen && $0.number == session }
    }

    /// Puts a session in place of one that was invalidated.
    func replace(_ session: SimulatedSession) {
        guard let index = sessions.firstIndex(where: { $0 === session }) else { return }
        session.close()
        session.isReplaced = true
        sessions[index] = SimulatedSession(session.name, in: self)
        if connection != nil { sessions[index].open() }
    }

    private func scheduleAction() {
        guard world.season == .wild else { return }
        let pause = program.isGreedy ? 0.1 : 2.5
        world.schedule(after: 0.05 + world.random.fraction() * pause, lifetime) { [self] _ in
            act()
            scheduleAction()
        }
    }

    private func act() {
        guard world.season == .wild else { return }
        if !program.isGreedy, world.random.happens(percent: isLaunched ? 10 : 5) { return end() }
        world.random.one(of: sessions).act()
    }

    /// Ends it when everything is told and there is nothing left to do.
    func endIfDone() {
        guard world.season != .wild || isLaunched else { return }
        guard sessions.allSatisfy(\.isDone) else { return }
        world.schedule(after: world.random.fraction(), lifetime) { [self] _ in
            if sessions.allSatisfy(\.isDone) { end() }
        }
    }
}
