import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Glibc
import Testing

/// What a real ferryd does when logind announces sleep, and what it holds against it.
@Suite(.serialized, .timeLimit(.minutes(2))) struct MachineSleepTests {
    private static let held = 1_000_000
    private static let delay =
        "inhibit shutdown:sleep ferryd delay Stores what transfers have loaded"
    private static let block =
        "inhibit sleep ferryd block Transfers run that are to keep the machine awake"

    private let content = FixtureContent.seeded(9, byteCount: 3_000_000)
    private let busHome: TestHome
    private let logind: FakeLogind
    private let home: TestHome
    private let server: FixtureServer

    init() async throws {
        busHome = try TestHome()
        // It waits for longer than any test takes.
        logind = try await FakeLogind(in: busHome, longestDelay: 3600)
        // A program that starts ferryd passes this on.
        home = try TestHome(variables: ["DBUS_SYSTEM_BUS_ADDRESS": logind.address])
        server = try FixtureServer()
    }

    /// Starts a download whose server falls silent before the end, for ever or until a gate is open.
    private func begin(_ gate: FixtureGate = FixtureGate(), _ arguments: [String] = []) async throws
    {
        let file = FixtureFile(content)
        server.on("/song", .file(file).stalling(after: Int64(Self.held), at: gate), .file(file))
        try await add(arguments)
    }

    private func add(_ arguments: [String]) async throws {
        let get = try await home.ferry(
            ["get", "--detach", "--connections", "1", "-d", home.files] + arguments
                + [server.url("/song")]
        )
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        while try await !home.ferry("list", "--json").output.contains("\(Self.held)") {}
    }

    private func expectFile() async throws {
        try await home.watchToEnd(of: 1)
        let data = try Data(contentsOf: URL(filePath: "\(home.files)/song"))
        #expect(content.firstDifference(from: [UInt8](data)) == nil)
    }

    private var log: String {
        get async throws { try await home.ferry("log", "-n", "100").output }
    }

    @Test func `sleep is delayed while a transfer runs, and no longer`() async throws {
        let gate = FixtureGate()
        try await begin(gate)
        #expect(await logind.events.next() == Self.delay)
        let status = try await home.ferry("daemon", "status")
        #expect(
            status.output.contains("inhibits:    shutdown and sleep delayed until all is stored")
        )
        gate.open()
        #expect(await logind.events.next() == "released")
        try await expectFile()
        #expect(try await !home.ferry("daemon", "status").output.contains("inhibits:"))
    }

    @Test(arguments: ["PrepareForSleep", "PrepareForShutdown"])
    func `the machine need not wait for long, and all goes on afterwards over a new connection`(
        signal: String
    ) async throws {
        // The old connection stays open, and nothing more comes over it.
        try await begin()
        #expect(await logind.events.next() == Self.delay)
        logind.emit(signal, true)
        #expect(await logind.events.next() == "released")
        #expect(try await log.contains("all transfers are at rest"))
        logind.emit(signal, false)
        #expect(await logind.events.next() == Self.delay)
        try await expectFile()
        let requests = server.requests(to: "/song")
        #expect(requests.map(\.range) == [nil, "bytes=\(Self.held)-"])
        #expect(Set(requests.map(\.connection)).count == 2)
    }

    @Test func `a ferryd that is killed while the machine sleeps has everything afterwards`()
        async throws
    {
        try await begin()
        #expect(await logind.events.next() == Self.delay)
        logind.emit("PrepareForSleep", true)
        #expect(await logind.events.next() == "released")
        await TestHome.kill(home.daemons)
        try await expectFile()
        #expect(server.requests(to: "/song").map(\.range) == [nil, "bytes=\(Self.held)-"])
    }

    @Test func `a logind that ends does not hold transfers back`() async throws {
        try await begin()
        #expect(await logind.events.next() == Self.delay)
        logind.emit("PrepareForSleep", true)
        #expect(await logind.events.next() == "released")
        await logind.stop()
        try await expectFile()
    }

    /// What happens to logind, or to the bus, that has announced something.
    enum Loss: String, CaseIterable { case leaves, restarts, busRestarts }

    @Test(arguments: ["PrepareForSleep", "PrepareForShutdown"], Loss.allCases)
    func
        `REL-13: what a logind has announced that is gone counts no more, and its successor is asked`(
            _ signal: String,
            _ loss: Loss
        ) async throws
    {
        let gate = FixtureGate()
        let file = FixtureFile(content)
        server.on(
            "/song",
            .file(file).stalling(after: Int64(Self.held), at: FixtureGate()),
            .file(file).stalling(after: Int64(Self.held) / 2, at: gate)
        )
        try await add([])
        #expect(await logind.events.next() == Self.delay)
        logind.emit(signal, true)
        #expect(await logind.events.next() == "released")
        while try await !home.ferry("why", "1").output.contains("about to sleep") {}
        switch loss {
        case .leaves, .restarts: logind.leave()
        case .busRestarts: logind.restartBus()
        }
        // The transfer goes on, and what the next logind grants is held.
        while server.requests(to: "/song").count < 2 {}
        if loss == .restarts { logind.comeBack() }
        if loss != .leaves { _ = await logind.events.next { $0 == Self.delay } }
        gate.open()
        if loss != .leaves { _ = await logind.events.next { $0 == "released" } }
        try await expectFile()
        #expect(server.requests(to: "/song").map(\.range) == [nil, "bytes=\(Self.held)-"])
    }

    @Test(arguments: [Loss.restarts, .busRestarts])
    func `REL-13: what is held is taken again from a logind that restarts, and its words count`(
        _ loss: Loss
    ) async throws {
        try await begin(FixtureGate(), ["--keep-awake"])
        let first = [await logind.events.next(), await logind.events.next()]
        #expect(Set(first) == [Self.delay, Self.block])
        if loss == .restarts {
            logind.leave()
            logind.comeBack()
        } else {
            logind.restartBus()
        }
        var taken: Set<String> = []
        while taken.count < 2 {
            taken.insert(await logind.events.next { [Self.delay, Self.block].contains($0) })
        }
        logind.emit("PrepareForSleep", true)
        while try await !log.contains("all transfers are at rest") {}
        logind.emit("PrepareForSleep", false)
        try await expectFile()
    }

    @Test func `the machine is kept awake while a transfer runs that is to do so`() async throws {
        try await begin(FixtureGate(), ["--keep-awake"])
        let inhibitors = [await logind.events.next(), await logind.events.next()]
        #expect(Set(inhibitors) == [Self.delay, Self.block])
        let status = try await home.ferry("daemon", "status")
        #expect(status.output.contains("inhibits:    no automatic sleep"))
        #expect(try await home.ferry("pause", "1").exit == .exited(status: 0))
        let released = [await logind.events.next(), await logind.events.next()]
        #expect(Set(released) == ["released", "released block"])
    }

    @Test func `what logind refuses the log says once, and the transfer goes on`() async throws {
        await logind.refuse("block")
        let gate = FixtureGate()
        try await begin(gate, ["--keep-awake"])
        #expect(await logind.events.next() == Self.delay)
        let line = "transfers do not keep the machine awake: Permission denied"
        while try await !log.contains(line) {}
        // It is asked again after sleep.
        logind.emit("PrepareForSleep", true)
        #expect(await logind.events.next() == "released")
        logind.emit("PrepareForSleep", false)
        #expect(await logind.events.next() == Self.delay)
        try await expectFile()
        #expect(try await log.split(separator: "\n").count { $0.contains(line) } == 1)
    }
}
