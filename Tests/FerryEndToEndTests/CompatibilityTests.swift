import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Glibc
import Testing

/// Programs of an earlier version together with those of today: `make compatibility BEFORE=CHECKOUT`.
@Suite(
    .serialized,
    .timeLimit(.minutes(2)),
    .enabled(if: ProcessEnvironment["FERRY_EARLIER"] != nil, "FERRY_EARLIER names no programs")
)
struct CompatibilityTests {
    /// Who built a program.
    enum Version: CaseIterable, CustomTestStringConvertible {
        case earlier
        case current

        var testDescription: String { self == .earlier ? "earlier" : "today's" }

        func executable(_ name: String) -> String {
            switch self {
            case .earlier: "\(ProcessEnvironment["FERRY_EARLIER"] ?? "")/\(name)"
            case .current: TestHome.executable(name)
            }
        }
    }

    private static let size = 4 << 20

    private let home: TestHome
    private let nginx: Nginx
    private let events: EventPipe

    init() async throws {
        home = try TestHome()
        nginx = try await Nginx(in: home, bytesPerSecond: Self.size)
        events = try await EventPipe(in: home)
    }

    @Test(arguments: [(Version.earlier, Version.current), (.current, .earlier)])
    func `an app that is killed gets its file from a ferryd of another version`(
        app version: Version,
        ferryd: Version
    ) async throws {
        try home.useDaemon(ferryd.executable("ferryd"))
        let data = try nginx.addFile("song.bin", byteCount: Self.size)
        let app = try await start(version, urls: ["song.bin"])
        try await loadHalf()
        await app.killed()
        try await expectDelivery(of: data)
        #expect(bytesSent() == Self.size)
    }

    @Test(arguments: [(Version.earlier, Version.current), (.current, .earlier)])
    func `each of many files is delivered once by a ferryd of another version`(
        app version: Version,
        ferryd: Version
    ) async throws {
        try home.useDaemon(ferryd.executable("ferryd"))
        let names = (1...100).map { "song\($0).bin" }
        for name in names { try nginx.addFile(name, byteCount: 1000) }
        let app = try await start(version, urls: names, "--finish", "yes")
        // It ends once ferryd knows that it has handled all events.
        #expect(await app.ended() == .exited(status: 0))
        let completed = events.lines.filter { $0.hasPrefix("completed ") }
        #expect(completed.sorted() == names.indices.map { "completed \($0 + 1) ok" }.sorted())
        #expect(try await home.presentTransfers() == [])
    }

    @Test(arguments: Version.allCases)
    func `what an earlier ferryd has begun, today's completes`(app version: Version) async throws {
        try home.useDaemon(Version.earlier.executable("ferryd"))
        let data = try nginx.addFile("song.bin", byteCount: Self.size)
        let app = try await start(version, urls: ["song.bin"])
        try await loadHalf()
        await app.killed()
        await home.killAll(except: [nginx.processIdentifier])
        try home.useDaemon(Version.current.executable("ferryd"))
        let list = try await home.ferry("list")
        #expect(list.exit == .exited(status: 0), "\(list.error)")
        try await expectDelivery(of: data)
        // It goes on where the earlier one was.
        #expect(bytesSent() < Self.size * 5 / 4)
    }

    @Test func `an earlier ferryd refuses a newer queue, and changes nothing in it`() async throws {
        let data = try nginx.addFile("song.bin", byteCount: Self.size)
        let app = try await start(.current, urls: ["song.bin"])
        try await loadHalf()
        await app.killed()
        await home.killAll(except: [nginx.processIdentifier])
        try home.useDaemon(Version.earlier.executable("ferryd"))
        let refused = try await home.ferry("list")
        #expect(refused.exit != .exited(status: 0))
        #expect(refused.error.contains("its schema is"), "\(refused.error)")
        try home.useDaemon(Version.current.executable("ferryd"))
        let list = try await home.ferry("list")
        #expect(list.exit == .exited(status: 0), "\(list.error)")
        try await expectDelivery(of: data)
    }

    // MARK: Parts

    private func start(
        _ version: Version,
        urls: [String],
        _ arguments: String...
    ) async throws -> TestProcess {
        try await TestProcess(
            version.executable("ferry-test-app"),
            ["--events", events.path, "--directory", home.files]
                + urls.flatMap { ["--url", nginx.url($0)] } + arguments,
            environment: home.environment
        )
    }

    private func loadHalf() async throws {
        _ = await events.next { line in
            let words = line.split(separator: " ")
            guard words.first == "progress", let count = words.last.flatMap({ Int($0) }) else {
                return false
            }
            return count >= Self.size / 2
        }
    }

    private func expectDelivery(of data: Data) async throws {
        #expect(await events.next("start background") == "start background")
        #expect(await events.next("finished") == "finished 1 song.bin 200")
        #expect(await events.next("completed") == "completed 1 ok")
        #expect(await events.next("handled") == "handled")
        #expect(try Data(contentsOf: URL(filePath: "\(home.files)/song.bin")) == data)
    }

    private func bytesSent() -> Int { nginx.requests().reduce(0) { $0 + $1.byteCount } }
}
