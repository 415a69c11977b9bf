import FerrySystem
import FerryTestSupport
import FerryWire
import Foundation
import Synchronization
import Testing

@testable import Ferry

/// A session's connection, without the session.
@Suite("The connection of a background session", .timeLimit(.minutes(1)))
struct BackgroundConnectionTests {
    private let daemon: ScriptedDaemon

    init() async throws {
        daemon = try await ScriptedDaemon.started()
    }

    /// A connection of a session that needs no daemon but for what it asks for itself.
    ///
    /// - Parameters:
    ///   - connect: Connects to the daemon, if not as usual.
    ///   - didOpen: Called with the session's number when it is open.
    /// - Returns: The connection.
    private func connection(
        connect: (@Sendable () throws(DaemonError) -> FileDescriptor)? = nil,
        didOpen: @escaping @Sendable (Int64) -> Void = { _ in }
    ) -> BackgroundConnection {
        let connection = BackgroundConnection(
            environment: .init(
                process: ProcessConnection(connect: connect ?? daemon.connect),
                opening: {
                    Wire.OpenSession(
                        application: Wire.Application(identifier: "app"),
                        identifier: "tracks",
                        configuration: .any
                    )
                },
                firstTaskIdentifier: { 1 }
            )
        )
        connection.start(
            .init(
                didOpen: { [weak connection] opened in
                    didOpen(opened.session)
                    connection?.receiveEvents(of: opened) { _ in }
                },
                isReady: {},
                didFail: { _, _ in },
                wantsConnection: { false }
            )
        )
        return connection
    }

    private func flush(_ connection: BackgroundConnection) async {
        await withCheckedContinuation { done in connection.flush { done.resume() } }
    }

    @Test func `TEST-9: what the daemon has not acknowledged brings it back, if nothing else does`()
        async throws
    {
        let connection = connection()
        await LoopActor.run { daemon.behaviours["Suspend"] = [.keepSilent] }
        connection.call(.suspend(task: 1))
        await daemon.calls.wait(for: "Suspend 1")
        try await daemon.die()
        try await daemon.start()
        await flush(connection)
        #expect(daemon.calls.requests == ["Suspend 1", "Suspend 1"])
        // Now there is nothing left to ask for.
        try await daemon.die()
        try await daemon.start()
        while connection.isOpen { await Task.yield() }
        #expect(daemon.calls.all.count { $0.hasPrefix("OpenSession") } == 2)
    }

    @Test func `TEST-3: what was told of a session is not acknowledged to the one in its place`()
        async throws
    {
        let numbers = Mutex<[Int64]>([])
        let connection = connection(didOpen: { number in numbers.withLock { $0.append(number) } })
        await LoopActor.run {
            daemon.behaviours["Acknowledge"] = [.keepSilent, .keepSilent]
        }
        // Opened, so that there is a number to acknowledge for.
        connection.call(.suspend(task: 1))
        await flush(connection)
        let last = numbers.withLock(\.last)
        let number = try #require(last)
        connection.acknowledge(1, ofSession: number)
        connection.acknowledge(2, ofSession: number)
        connection.call(.suspend(task: 2))
        await daemon.calls.wait(for: "Suspend 2")
        // The session comes into being again, and its events begin anew.
        try await LoopActor.run {
            try daemon.die()
            daemon.sessions["tracks"] = nil
            try daemon.start()
        }
        await flush(connection)
        let opened = try #require(daemon.calls.all.lastIndex { $0.hasPrefix("OpenSession") })
        #expect(opened > 0)
        let next = numbers.withLock(\.last)
        #expect(next != number)
        #expect(daemon.calls.all[opened...].filter { $0.hasPrefix("Acknowledge") } == [])
        // Not those either that come later.
        connection.acknowledge(1, ofSession: number)
        await flush(connection)
        #expect(daemon.calls.all[opened...].filter { $0.hasPrefix("Acknowledge") } == [])
    }

    @Test func `TEST-3: what was told of a session is acknowledged to it when the daemon is back`()
        async throws
    {
        let numbers = Mutex<[Int64]>([])
        let connection = connection(didOpen: { number in numbers.withLock { $0.append(number) } })
        await LoopActor.run { daemon.behaviours["Acknowledge"] = [.keepSilent] }
        // A session that holds something stays the same.
        let request = Wire.Request(url: "http://a/", method: "GET", fields: [], idleTimeout: 60)
        connection.call(.create(BackgroundCall.NewTask(identifier: 1, request: request)))
        connection.call(.resume(task: 1))
        await flush(connection)
        let last = numbers.withLock(\.last)
        let number = try #require(last)
        connection.acknowledge(1, ofSession: number)
        await daemon.calls.wait(for: "Acknowledge 1")
        try await daemon.die()
        try await daemon.start()
        await daemon.calls.wait(for: "Acknowledge 1", count: 2)
        await flush(connection)
    }

    /// Opens a session, whose number acknowledgements need.
    private func openSession() async throws -> (BackgroundConnection, number: Int64) {
        let numbers = Mutex<[Int64]>([])
        let connection = connection(didOpen: { number in numbers.withLock { $0.append(number) } })
        connection.call(.suspend(task: 1))
        await flush(connection)
        let last = numbers.withLock(\.last)
        return (connection, try #require(last))
    }

    @Test
    func `events that are handled together are acknowledged in one call, at most 256 of them`()
        async throws
    {
        let (connection, number) = try await openSession()
        await LoopActor.run {
            for sequence in 1...300 {
                connection.acknowledge(Int64(sequence), ofSession: number)
            }
        }
        await flush(connection)
        #expect(await daemon.acknowledgements == [Array(1...256), Array(257...300)])
    }

    @Test func `API-23: tasks are made while the daemon does not answer, and it gets them later`()
        async throws
    {
        let gate = FixtureGate()
        let connect = daemon.connect
        let connection = connection { () throws(DaemonError) in
            gate.wait()
            return try connect()
        }
        let request = Wire.Request(url: "http://a/", method: "GET", fields: [], idleTimeout: 60)
        for number in 1...1000 {
            connection.prepareForTask()
            let (identifier, refusal) = connection.reserveTask()
            #expect(identifier == number)
            #expect(refusal == nil)
            connection.call(.create(BackgroundCall.NewTask(identifier: number, request: request)))
        }
        #expect(daemon.calls.all.isEmpty)
        gate.open()
        await flush(connection)
        #expect(daemon.calls.requests == (1...1000).map { "CreateDownload \($0)" })
    }
}

@Suite(.timeLimit(.minutes(1))) struct ReconnectionPolicyTests {
    private var policy = ReconnectionPolicy()

    /// The longest that lots give.
    private static func greatest(_ range: ClosedRange<Double>) -> Double { range.upperBound }

    @Test mutating func `each attempt in vain doubles the delay, up to half a minute`() {
        let delays = (0..<12).map { _ in policy.failed(random: Self.greatest) }
        #expect(delays.prefix(4) == [.seconds(0.1), .seconds(0.2), .seconds(0.4), .seconds(0.8)])
        #expect(delays.suffix(2) == [.seconds(30), .seconds(30)])
    }

    @Test mutating func `TEST-9: behind a good connection the daemon is tried again at once`() {
        for _ in 0..<12 { _ = policy.failed(random: Self.greatest) }
        #expect(policy.lost(after: .seconds(10), random: Self.greatest) == .zero)
        // And from there on as from the beginning.
        #expect(policy.failed(random: Self.greatest) == .seconds(0.2))
    }

    @Test
    mutating func `a daemon that dies again and again, but works, is given little time each time`()
    {
        for _ in 0..<12 {
            policy.succeeded()
            let delay = policy.lost(after: .seconds(1), random: Self.greatest)
            #expect(delay <= .seconds(0.2))
        }
        policy.succeeded()
        #expect(policy.lost(after: .seconds(1), random: Self.greatest) == .seconds(0.2))
    }

    @Test mutating func `TEST-9: a daemon that dies again and again is given more and more time`() {
        #expect(policy.lost(after: .seconds(1), random: Self.greatest) == .zero)
        #expect(policy.lost(after: .seconds(1), random: Self.greatest) == .seconds(0.2))
        #expect(policy.lost(after: .seconds(9), random: Self.greatest) == .seconds(0.4))
        #expect(policy.lost(after: .seconds(10), random: Self.greatest) == .zero)
        #expect(policy.lost(after: .seconds(1), random: Self.greatest) == .seconds(0.2))
    }
}
