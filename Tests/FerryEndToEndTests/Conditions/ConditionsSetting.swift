import FerrySystem
import FerryTestSupport
import FerryWire
import FoundationEssentials
import Testing

/// A real ferryd between servers and the services of a desktop.
struct ConditionsSetting {
    /// A file at a server.
    struct Song {
        let name: String
        let server: FixtureServer
        let content: FixtureContent

        var url: String { server.url("/\(name)") }
        /// Its connection is not kept, so that it counts for nobody else.
        var answer: FixtureAnswer {
            .file(FixtureFile(content, fields: [("Connection", "close")]))
        }
        var requests: [FixtureRequest] { server.requests(to: "/\(name)") }
        /// How many bytes of it have been sent, by request.
        var byteCounts: [Int64] { requests.map(\.sentBodyByteCount) }

        func serve(_ answers: FixtureAnswer...) { server.on("/\(name)", answers) }
    }

    /// How long a song is.
    static let byteCount: Int64 = 1_000_000

    let services: MockedServices
    let home: TestHome
    let events: EventPipe
    /// At four addresses: a session has no more than six transfers from one.
    private let servers: [FixtureServer]

    init() async throws {
        services = try await MockedServices()
        home = try TestHome(
            daemonArguments: ["--idle-time", "600"],
            variables: services.variables
        )
        events = try await EventPipe(in: home)
        servers = try (1...4).map { try FixtureServer(host: "127.0.0.\($0)") }
    }

    func songs(_ count: Int, _ name: String) -> [Song] {
        (0..<count).map { number in
            Song(
                name: "\(name)-\(number)",
                server: servers[number % servers.count],
                content: .seeded(UInt64(number), byteCount: Self.byteCount)
            )
        }
    }

    /// Starts an app that loads songs in a session.
    func start(_ songs: [Song], _ arguments: [String]) async throws -> TestProcess {
        try await TestProcess(
            TestHome.executable("ferry-test-app"),
            ["--events", events.path, "--directory", home.files, "--connections", "1"]
                + songs.flatMap { ["--url", $0.url] } + arguments,
            environment: home.environment
        )
    }

    /// Loads songs without a program that waits for them, as long as the network is not metered.
    func get(_ songs: [Song]) async throws {
        let options = ["--detach", "--unmetered-only", "--connections", "1", "-d", home.files]
        try await ferry(["get"] + options + songs.map(\.url))
    }

    /// Runs the `ferry` command, and returns what it wrote.
    @discardableResult
    func ferry(_ arguments: [String]) async throws -> String {
        try await home.ferryOutput(arguments)
    }

    /// Expects that no byte of some songs is sent while ferryd loads something else.
    func expectNothingIsLoaded(of songs: [Song]) async throws {
        for server in servers {
            try await server.waitUntil { $0.requests.allSatisfy { !$0.isBeingAnswered } }
        }
        let before = songs.map(\.byteCounts)
        servers[0].on("/anything", .content(.text("la")))
        try await ferry(["get", "-d", home.files, servers[0].url("/anything")])
        #expect(songs.map(\.byteCounts) == before)
    }

    /// Waits until so many tasks of the app have their files.
    func expectCompletions(_ count: Int) async {
        var ends: Set<String> = []
        while ends.count < count { ends.insert(await events.next("completed")) }
        #expect(ends == Set((1...count).map { "completed \($0) ok" }))
    }

    func expectFile(_ name: String, _ content: FixtureContent) throws {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: "\(home.files)/\(name)")))
        #expect(content.firstDifference(from: bytes) == nil, "\(name)")
    }

    /// How many descriptors ferryd has.
    var descriptorCount: Int {
        get throws {
            let daemon = try #require(home.daemons.first)
            return try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon)/fd").count
        }
    }
}

extension Wire.Task {
    /// Whether it waits for the end of a condition, with its words.
    func waits(_ reason: Wire.WaitReason, _ detail: String) -> Bool {
        state == .waiting && wait?.reason == reason && wait?.detail?.contains(detail) == true
    }
}
