import FerrySystem
import FerryTestSupport
import Foundation
import Glibc
import Testing

/// Lists of more downloads than ferryd reports at a time.
@Suite(
    .serialized,
    .timeLimit(.minutes(3)),
    .disabled(if: Sanitizer.isOn, "a sanitizer takes several times the memory and the time")
)
struct LongListTests {
    private static let count = 1100

    private let home: TestHome
    private let server: FixtureServer
    private let gate = FixtureGate()

    init() throws {
        home = try TestHome()
        server = try FixtureServer()
        let lines = (1...Self.count).map { server.url("/file\($0)") }
        let list = lines.joined(separator: "\n")
        try Data(list.utf8).write(to: URL(filePath: home.files + "/list"))
    }

    private var arguments: [String] { ["get", "-d", home.files, "-i", home.files + "/list"] }

    @Test func `each row ends as its transfer did`() async throws {
        for number in 1...Self.count where number.isMultiple(of: 2) {
            server.on("/file\(number)", .content(.text("content")))
        }
        let get = try await home.ferry(arguments + ["--json"])
        #expect(get.exit == .exited(status: 8), "\(get.error)")
        let lines = get.output.split(separator: "\n")
        #expect(lines.count { $0.contains(#""event":"saved""#) } == Self.count / 2)
        #expect(lines.count { $0.contains(#""event":"failed""#) } == Self.count / 2)
        #expect(!get.output.contains(#""event":"gone""#))
    }

    @Test func `Ctrl-C leaves all of the list to ferryd, and names one thing to type`() async throws
    {
        for number in 1...Self.count {
            server.on("/file\(number)", .content(.text("content")).waiting(at: gate))
        }
        let error = try await EventPipe(in: home)
        let writer = try error.writer()
        let get = try await TestProcess(
            TestHome.executable("ferry"),
            arguments,
            environment: home.environment,
            error: writer.rawValue
        )
        try await server.waitUntil { !$0.requests.isEmpty }
        get.signal(SIGINT)
        #expect(await get.ended() == .exited(status: 130))
        let hint = await error.next("The transfers go on")
        let group = try #require(hint.split(separator: " ").last)
        #expect(group.first == "@")
        gate.open()
        let watch = try await home.ferry("watch", String(group))
        #expect(watch.exit == .exited(status: 0), "\(watch.error)")
        let names = try FileManager.default.contentsOfDirectory(atPath: home.files)
        #expect(names.count { $0.hasPrefix("file") } == Self.count)
    }
}
