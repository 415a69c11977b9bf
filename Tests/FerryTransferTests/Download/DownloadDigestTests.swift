import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

@Suite("Downloads with digests", .timeLimit(.minutes(1)))
@LoopActor
struct DownloadDigestTests {
    let bench: DownloadBench
    let content = FixtureContent.seeded(1, byteCount: 3_000_001)
    let other = FixtureContent.seeded(2, byteCount: 3_000_001)

    init() throws { bench = try DownloadBench() }

    @Test(arguments: Digest.Algorithm.allCases)
    func `a file of the expected digest arrives`(algorithm: Digest.Algorithm) async throws {
        bench.server.on("/file", .file(FixtureFile(content)))
        let digest = try content.digest(by: algorithm)
        let probe = bench.download(Download.Configuration(digests: [digest]))
        #expect(await probe.result()?.byteCount == content.byteCount)
        #expect(try bench.difference(content) == nil)
    }

    @Test func `a file of another digest is not delivered, nor kept`() async throws {
        bench.server.on("/file", .file(FixtureFile(other)))
        let digest = try content.digest()
        let probe = bench.download(Download.Configuration(digests: [digest]))
        let error = await probe.failure()
        #expect(error?.code == .digestMismatch)
        #expect(error?.message.contains("\(digest) was expected (status 200)") == true)
        #expect(throws: ResumeData.Unavailable.nothingReceived) { try probe.resumeData() }
        #expect(try bench.temporary.directory.names() == [])
        #expect(bench.ranges() == [nil])
    }

    @Test(arguments: [true, false])
    func `a file that is longer than it may be is given up`(hasLength: Bool) async throws {
        let answer = FixtureAnswer.file(FixtureFile(content))
        bench.server.on("/file", hasLength ? answer : answer.chunked())
        let limit = content.byteCount - 1
        let probe = bench.download(Download.Configuration(maximumByteCount: limit))
        let error = await probe.failure()
        #expect(error?.code == .responseTooLong)
        #expect(error?.message == "the file is longer than \(limit) bytes")
        let fits = bench.download(
            to: "fits",
            Download.Configuration(maximumByteCount: content.byteCount)
        )
        #expect(await fits.result()?.byteCount == content.byteCount)
    }

    @Test func `all digests that are expected have to be right`() async throws {
        bench.server.on("/file", .file(FixtureFile(content)))
        let digests = [try content.digest(), try other.digest(by: .sha512)]
        let probe = bench.download(Download.Configuration(digests: digests))
        #expect(await probe.failure()?.code == .digestMismatch)
    }

    @Test func `a continued file of another digest is begun anew, once`() async throws {
        // The server gives two versions the same entity tag, which no validator shows.
        bench.server.on(
            "/file",
            [
                .file(FixtureFile(other)).dropping(after: 1_000_000), .file(FixtureFile(content)),
            ]
        )
        #expect(await bench.download().failure()?.code == .connectionLost)
        let digest = try content.digest()
        let probe = bench.download(Download.Configuration(digests: [digest]))
        #expect(await probe.result()?.byteCount == content.byteCount)
        #expect(try bench.difference(content) == nil)
        #expect(bench.ranges().count == 3)
        #expect(bench.ranges().last == .some(nil))
        #expect(probe.story.contains(.restarted))
    }

    @Test func `Repr-Digest: a whole and a continued file are compared with the server's digest`()
        async throws
    {
        let fields = [(try content.digest()).field("Repr-Digest")]
        bench.server.on(
            "/file",
            [
                .file(FixtureFile(content)).dropping(after: 1_000_000).with(fields: fields),
                .file(FixtureFile(content)).with(fields: fields),
            ]
        )
        #expect(await bench.download().failure()?.code == .connectionLost)
        #expect(await bench.download().result()?.byteCount == content.byteCount)
        #expect(bench.ranges() == [nil, "bytes=1000000-"])
    }

    @Test func `Repr-Digest: bytes that are not the announced ones are not delivered`() async throws
    {
        let fields = [(try other.digest()).field("Repr-Digest")]
        bench.server.on("/file", .file(FixtureFile(content)).with(fields: fields))
        let error = await bench.download().failure()
        #expect(error?.code == .digestMismatch)
        #expect(error?.message.contains("was announced by the server") == true)
    }

    @Test func `Content-Digest: the part that continues a file is compared with its digest`()
        async throws
    {
        let wrong = [(try other.digest(in: 1_000_000..<3_000_001)).field("Content-Digest")]
        let right = [(try content.digest()).field("Content-Digest")]
        bench.server.on(
            "/file",
            [
                .file(FixtureFile(content)).dropping(after: 1_000_000),
                .file(FixtureFile(content)).with(fields: wrong),
                .file(FixtureFile(content)).with(fields: right),
            ]
        )
        #expect(await bench.download().failure()?.code == .connectionLost)
        let probe = bench.download()
        #expect(await probe.result()?.byteCount == content.byteCount)
        #expect(bench.ranges() == [nil, "bytes=1000000-", nil])
        #expect(try bench.difference(content) == nil)
    }

    @Test func `the digest of a coded body says nothing of the decoded one`() async throws {
        let text = FixtureContent.text(String(repeating: "hello ", count: 10_000))
        let fields = [(try other.digest()).field("Repr-Digest")]
        bench.server.on("/file", .gzip(text).with(fields: fields))
        let asking = bench.request("/file", [("Accept-Encoding", "gzip")])
        #expect(await bench.download(asking).result()?.byteCount == text.byteCount)
    }

    @Test(arguments: [true, false])
    func `KEEP-4: the digest of a coded body is that of a file that keeps the coding`(
        isRight: Bool
    ) async throws {
        let text = FixtureContent.text(String(repeating: "hello ", count: 10_000))
        let packed = FixtureContent.bytes(FixtureGzip.encode(text.bytes))
        let fields = [(isRight ? try packed.digest() : try text.digest()).field("Repr-Digest")]
        bench.server.on("/file", .gzip(text).with(fields: fields))
        let probe = bench.download()
        if isRight {
            #expect(await probe.result()?.byteCount == packed.byteCount)
        } else {
            #expect(await probe.failure()?.code == .digestMismatch)
        }
    }

    @Test func `a download that is cancelled while its digest is computed tells nothing more`()
        async throws
    {
        let large = FixtureContent.seeded(3, byteCount: 64 << 20)
        bench.server.on("/file", .file(FixtureFile(large)))
        let probe = bench.download(Download.Configuration(digests: [try content.digest()]))
        // At once: the digest may be computed before a test that waits goes on.
        probe.onEvent = { [unowned probe] event in
            if event == .progressed(64 << 20, 64 << 20) { LoopActor.perform { probe.cancel() } }
        }
        await probe.wait { $0.events.last == .progressed(64 << 20, 64 << 20) }
        // Another one that is compared after it.
        bench.server.on("/small", .file(FixtureFile(content)))
        let second = bench.download(
            bench.request("/small"),
            to: "small",
            Download.Configuration(digests: [try content.digest()])
        )
        #expect(await second.result() != nil)
        #expect(probe.outcome == nil)
    }

    @Test(arguments: [401, 404, 500])
    func `an error's answer is not the file where the app does not want that`(
        status: Int
    )
        async throws
    {
        bench.server.on("/file", .status(status, body: "Sorry"))
        let probe = bench.download(Download.Configuration(refusesErrorResponses: true))
        #expect(await probe.failure()?.code == .errorResponse)
        #expect(probe.story.first == .responded(status))
        #expect(try bench.temporary.directory.names() == [])
    }

    @Test func `a status that the app has named is one to ask again for`() async throws {
        bench.server.on("/file", .status(404, body: "Sorry"))
        let configuration = Download.Configuration(
            unavailableResponses: .fail,
            retriedStatuses: [404]
        )
        #expect(await bench.download(configuration).failure()?.code == .serverUnavailable)
        bench.server.on("/file", .status(503, body: "Sorry"))
        #expect(await bench.download(configuration).result()?.response.status == 503)
    }
}

extension DownloadBench {
    /// Starts a download of the usual file.
    fileprivate func download(_ configuration: Download.Configuration) -> DownloadProbe {
        download(nil, configuration)
    }
}
