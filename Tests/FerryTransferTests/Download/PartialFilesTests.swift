import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

/// Bytes that are here, and what servers answer to a request for the rest: docs/decisions/partial-files.md.
@Suite(.timeLimit(.minutes(3)))
@LoopActor
struct PartialFilesTests {
    let bench: DownloadBench
    nonisolated static let content = FixtureContent.seeded(1, byteCount: 300_001)
    nonisolated static let other = FixtureContent.seeded(2, byteCount: 300_001)
    nonisolated static let page = FixtureAnswer.status(
        200,
        fields: [("Content-Type", "text/html")],
        body: String(repeating: "<p>log in</p>", count: 67)
    )

    init() throws { bench = try DownloadBench() }

    /// What a server says about the versions of a file.
    struct Habit: Sendable, CustomTestStringConvertible {
        var tag: String?
        var isDated = false
        var hasDate = false
        var tagsParts = true
        var hasDigest = false

        var testDescription: String {
            "\(tag ?? "no tag"), \(isDated ? "Last-Modified" : "no date")"
                + "\(hasDate ? " with Date" : ""), \(tagsParts ? "" : "no tag in parts, ")"
                + "\(hasDigest ? "digest" : "no digest")"
        }

        static var all: [Habit] {
            var all: [Habit] = []
            for tag in ["\"a\"", "W/\"a\"", nil] {
                for (isDated, hasDate) in [(false, false), (true, false), (true, true)] {
                    for tagsParts in [true, false] {
                        for hasDigest in [true, false] {
                            all.append(
                                Habit(
                                    tag: tag,
                                    isDated: isDated,
                                    hasDate: hasDate,
                                    tagsParts: tagsParts,
                                    hasDigest: hasDigest
                                )
                            )
                        }
                    }
                }
            }
            return all
        }

        /// The file, with the tag of one of its nodes.
        func answer(_ content: FixtureContent, node: String = "") -> FixtureAnswer {
            let file = FixtureFile(
                content,
                entityTag: tag.map { $0.dropLast() + node + "\"" },
                lastModified: isDated ? "Mon, 02 Nov 2026 08:00:00 GMT" : nil,
                date: hasDate ? "Tue, 03 Nov 2026 08:00:00 GMT" : "Mon, 02 Nov 2026 08:00:00 GMT"
            )
            return FixtureAnswer.file(file).changing { [tagsParts] response in
                guard response.status == 206, !tagsParts else { return }
                response.fields.removeAll { $0.name.lowercased() == "etag" }
            }
        }
    }

    /// Downloads in as many attempts as it takes; returns their number.
    private func attempts(
        _ configuration: Download.Configuration = Download.Configuration()
    ) async -> Int? {
        var checkpoint: Checkpoint?
        for count in 1...60 {
            let probe = bench.download(nil, checkpoint: checkpoint, configuration)
            if case .finished? = await probe.end() { return count }
            checkpoint = probe.checkpoint
        }
        return nil
    }

    private func configuration(_ hasDigest: Bool) throws -> Download.Configuration {
        Download.Configuration(digests: hasDigest ? [try Self.content.digest(by: .sha256)] : [])
    }

    @Test(arguments: Habit.all)
    func `KEEP-3: connections that are cut again and again come to an end`(
        habit: Habit
    ) async throws {
        bench.server.on("/file") { _ in habit.answer(Self.content).dropping(after: 60_000) }
        let count = try #require(await attempts(try configuration(habit.hasDigest)))
        #expect(count <= 16)
        #expect(try bench.difference(Self.content) == nil)
    }

    @Test(arguments: Habit.all.filter { !$0.hasDigest })
    func `KEEP-3: nodes with tags of their own are as good as one server`(
        habit: Habit
    ) async throws {
        bench.server.on("/file") { request in
            habit.answer(Self.content, node: "\(request.index % 3)").dropping(after: 80_000)
        }
        let count = try #require(await attempts())
        #expect(count <= 16)
        #expect(try bench.difference(Self.content) == nil)
    }

    /// A date that stays the same says that the version does.
    @Test(arguments: Habit.all.filter { !$0.hasDigest && !($0.tag == nil && $0.hasDate) })
    func `KEEP-3: no two versions are mixed`(habit: Habit) async throws {
        bench.server.on("/file") { request in
            let isFirst = request.index == 0
            return habit.answer(isFirst ? Self.content : Self.other, node: isFirst ? "" : "b")
                .dropping(after: isFirst ? 100_000 : 1_000_000)
        }
        #expect(await attempts() == 2)
        #expect(try bench.difference(Self.other) == nil)
    }

    @Test(arguments: [
        page, .redirect(to: "/login"),
        .status(200, fields: [("Content-Type", "text/html"), ("ETag", "\"p\"")], body: "log in"),
        .status(200, body: "log in"), .status(204), .status(511, body: "log in"),
        .status(302, body: "log in"), .status(300, body: "log in"),
        .status(407, body: "log in"), .status(503, body: "log in"),
    ])
    func `KEEP-1: what a portal answers costs no byte`(answer: FixtureAnswer) async throws {
        let file = FixtureFile(Self.content)
        bench.server.on("/login", Self.page)
        bench.server.on(
            "/file",
            .file(file).dropping(after: 120_000),
            answer,
            answer,
            answer,
            .file(file)
        )
        var codes: Set<TransferError.Code> = []
        for _ in 0..<4 {
            let probe = bench.download()
            let error = try #require(await probe.failure())
            codes.insert(error.code)
            #expect(probe.checkpoint?.writtenByteCount == 120_000)
        }
        #expect(codes.isSubset(of: [.connectionLost, .answerDoubted, .serverUnavailable]))
        #expect(await bench.download().result()?.byteCount == 300_001)
        #expect(bench.ranges().last == "bytes=120000-")
        #expect(try bench.difference(Self.content) == nil)
    }

    @Test func `KEEP-1: with a digest, the page neither replaces the file nor fails it`()
        async throws
    {
        let file = FixtureFile(Self.content)
        bench.server.on("/file", .file(file).dropping(after: 120_000), Self.page, .file(file))
        let configuration = try configuration(true)
        #expect(await bench.download(nil, configuration).failure()?.code == .connectionLost)
        #expect(await bench.download(nil, configuration).failure()?.code == .answerDoubted)
        #expect(await bench.download(nil, configuration).result() != nil)
        #expect(try bench.difference(Self.content) == nil)
    }

    @Test func `KEEP-1: a file that has become shorter replaces the bytes after a while`()
        async throws
    {
        let short = FixtureContent.seeded(3, byteCount: 50_000)
        bench.server.on(
            "/file",
            .file(FixtureFile(Self.content)).dropping(after: 100_000),
            .file(FixtureFile(short, entityTag: "\"v2\""))
        )
        #expect(await bench.download().failure()?.code == .connectionLost)
        // However often it is asked for at once.
        for _ in 0..<3 {
            let probe = bench.download()
            #expect(await probe.failure()?.code == .answerDoubted)
            #expect(probe.checkpoint?.writtenByteCount == 100_000)
        }
        let later = Download.Configuration(doubtTime: .zero)
        let probe = bench.download(nil, later)
        #expect(await probe.result()?.byteCount == 50_000)
        #expect(try bench.difference(short) == nil)
    }

    @Test func `KEEP-1: a good answer ends the doubt`() async throws {
        let short = FixtureFile(.seeded(3, byteCount: 50_000), entityTag: "\"v2\"")
        let file = FixtureFile(Self.content)
        bench.server.on(
            "/file",
            .file(file).dropping(after: 100_000),
            .file(short),
            .file(file).dropping(after: 10_000),
            .file(short)
        )
        let later = Download.Configuration(doubtTime: .zero)
        var codes: [TransferError.Code?] = []
        for _ in 0..<4 { codes.append(await bench.download(nil, later).failure()?.code) }
        #expect(codes == [.connectionLost, .answerDoubted, .connectionLost, .answerDoubted])
    }

    @Test(arguments: [400, 401, 402, 403, 404, 405, 406, 410, 451])
    func `KEEP-2: an expired link keeps the bytes, which resume data stands for`(
        status: Int
    ) async throws {
        let file = FixtureFile(Self.content)
        bench.server.on(
            "/file",
            .file(file).dropping(after: 270_000),
            .status(status, body: "expired")
        )
        #expect(await bench.download().failure()?.code == .connectionLost)
        let probe = bench.download()
        #expect(await probe.failure()?.code == .linkExpired)
        #expect(probe.story.first == .responded(status))
        #expect(try probe.resumeData().byteCount == 270_000)
        bench.server.on("/new", .file(FixtureFile(Self.content, entityTag: "\"n\"")))
        let relinked = bench.download(bench.request("/new"), Download.Configuration(link: 1))
        #expect(await relinked.result() != nil)
        #expect(bench.ranges("/new") == ["bytes=204464-"])
        #expect(try bench.difference(Self.content) == nil)
    }

    @Test func `KEEP-3: a server without ranges sends bytes that are here again, and none is lost`()
        async throws
    {
        let file = FixtureFile(Self.content, ranges: .ignored)
        bench.server.on(
            "/file",
            .file(file).dropping(after: 100_000),
            .file(file).dropping(after: 50_000),
            .file(file)
        )
        #expect(await bench.download().failure()?.code == .connectionLost)
        let second = bench.download()
        #expect(await second.failure()?.code == .connectionLost)
        #expect(second.checkpoint?.writtenByteCount == 100_000)
        #expect(await bench.download().result() != nil)
        #expect(try bench.difference(Self.content) == nil)
    }
}
