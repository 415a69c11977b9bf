import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct DownloadTests {
    let bench: DownloadBench
    let content = FixtureContent.seeded(1, byteCount: 3_000_001)

    init() throws { bench = try DownloadBench() }

    // MARK: - What arrives

    @Test func `OR-9: a file arrives whole, with its story in order`() async throws {
        bench.server.on("/file", .file(FixtureFile(content)))
        let probe = bench.download()
        let result = try #require(await probe.result())
        #expect(result.byteCount == content.byteCount)
        #expect(result.response.status == 200)
        #expect(result.currentRequest == bench.request())
        #expect(probe.story == [.responded(200), .finished])
        #expect(probe.events.last { $0.isProgress } == .progressed(3_000_001, 3_000_001))
        #expect(try bench.difference(content) == nil)
        #expect(bench.ranges() == [nil])
    }

    @Test(arguments: [0, 1, 511, 512, 65_536] as [Int64])
    func `a file of any length arrives`(byteCount: Int64) async throws {
        let content = FixtureContent.seeded(2, byteCount: byteCount)
        bench.server.on("/file", .file(FixtureFile(content)))
        #expect(await bench.download().result()?.byteCount == byteCount)
        #expect(try bench.difference(content) == nil)
    }

    @Test func `a body in chunks and one that ends with its connection arrive`() async throws {
        bench.server.on("/chunked", .file(FixtureFile(content)).chunked())
        bench.server.on("/close", .file(FixtureFile(content)).untilClose())
        for name in ["chunked", "close"] {
            let probe = bench.download(bench.request("/" + name), to: name)
            #expect(await probe.result()?.byteCount == content.byteCount)
            #expect(probe.events.last { $0.isProgress } == .progressed(3_000_001, nil))
            #expect(try bench.difference(content, in: name) == nil)
        }
    }

    @Test(arguments: [403, 404, 500, 503])
    func `BG-19: an error page is the file`(status: Int) async throws {
        bench.server.on("/file", .status(status, body: "Sorry"))
        let probe = bench.download()
        #expect(await probe.result()?.response.status == status)
        #expect(try bench.temporary.contents(of: "file") == Array("Sorry".utf8))
        #expect(throws: ResumeData.Unavailable.noValidator) { try probe.resumeData() }
    }

    @Test func `a body in gzip that was asked for is decoded and cannot be continued`() async throws
    {
        let text = FixtureContent.text(String(repeating: "hello ", count: 10_000))
        bench.server.on("/file", .gzip(text).with(fields: [("ETag", "\"a\"")]))
        let probe = bench.download(bench.request("/file", [("Accept-Encoding", "gzip")]))
        #expect(await probe.result()?.byteCount == 60_000)
        #expect(try bench.difference(text) == nil)
        #expect(probe.events.allSatisfy { $0 != .progressed(60_000, 60_000) })
        #expect(throws: ResumeData.Unavailable.noValidator) { try probe.resumeData() }
    }

    @Test(arguments: [true, false])
    func `API-29: the progress of a decoded body is that of its coding, if its length is known`(
        isKnown: Bool
    ) async throws {
        let content = FixtureContent.seeded(10, byteCount: 200_000)
        let total = Int64(FixtureGzip.encode(content.bytes).count)
        let gate = FixtureGate()
        let answer = FixtureAnswer.gzip(content).stalling(after: 100_000, at: gate)
        bench.server.on("/file", isKnown ? answer : answer.chunked())
        let probe = bench.download(bench.request("/file", [("Accept-Encoding", "gzip")]))
        await probe.wait { _ in !probe.coded.compactMap { $0 }.isEmpty || !isKnown }
        if isKnown {
            let first = try #require(probe.coded.compactMap { $0 }.first)
            #expect(first.totalByteCount == total)
            #expect((1...100_000).contains(first.receivedByteCount))
        }
        gate.open()
        #expect(await probe.result()?.byteCount == 200_000)
        let expected = CodedProgress(receivedByteCount: total, totalByteCount: total)
        #expect(probe.coded.last == (isKnown ? expected : nil))
    }

    @Test func `KEEP-4: a body in gzip that was not asked for is stored and continued as it came`()
        async throws
    {
        let packed = FixtureContent.bytes(
            FixtureGzip.encode(FixtureContent.seeded(8, byteCount: 300_000).bytes)
        )
        let coded = FixtureFile(packed, fields: [("Content-Encoding", "gzip")])
        bench.server.on("/file", .file(coded).dropping(after: 100_000), .file(coded))
        let first = bench.download()
        #expect(await first.failure()?.code == .connectionLost)
        let second = bench.download(checkpoint: first.checkpoint)
        #expect(await second.result()?.byteCount == packed.byteCount)
        #expect(bench.ranges() == [nil, "bytes=100000-"])
        #expect(try bench.difference(packed) == nil)
    }

    @Test
    func `KEEP-4: bytes in a coding are not continued by bytes in none, nor the other way round`()
        async throws
    {
        let content = FixtureContent.seeded(9, byteCount: 300_000)
        let plain = FixtureFile(content)
        let coded = FixtureFile(content, fields: [("Content-Encoding", "gzip")])
        bench.server.on("/file", .file(plain).dropping(after: 100_000), .file(coded), .file(plain))
        let first = bench.download()
        #expect(await first.failure()?.code == .connectionLost)
        let second = bench.download(checkpoint: first.checkpoint)
        #expect(await second.result() != nil)
        #expect(bench.ranges() == [nil, "bytes=100000-", nil])
    }

    @Test func `the fields and the body of a request are sent`() async throws {
        bench.server.on("/file", .content(.text("ok")))
        var request = bench.request("/file", [("X-App", "1"), ("Authorization", "secret")])
        request.method = "POST"
        request.body = Array("hello".utf8)
        #expect(await bench.download(request).result() != nil)
        let sent = try #require(bench.server.requests.first)
        #expect(sent.method == "POST")
        #expect(sent.body == Array("hello".utf8))
        #expect(sent["X-App"] == "1")
        #expect(sent["Authorization"] == "secret")
        #expect(sent["Accept-Encoding"] == "identity")
    }

    @Test func `the app's own range is sent and answered`() async throws {
        bench.server.on("/file", .file(FixtureFile(content)))
        let probe = bench.download(bench.request("/file", [("Range", "bytes=10-19")]))
        #expect(await probe.result()?.response.status == 206)
        #expect(try bench.temporary.contents(of: "file") == content.bytes(in: 10..<20))
    }

    @Test func `many downloads at once do not get mixed up`() async throws {
        var probes: [(DownloadProbe, FixtureContent, String)] = []
        for index in 0..<40 {
            let content = FixtureContent.seeded(UInt64(index), byteCount: 20_000)
            let name = "file\(index)"
            bench.server.on("/" + name, .file(FixtureFile(content)))
            probes.append((bench.download(bench.request("/" + name), to: name), content, name))
        }
        for (probe, content, name) in probes {
            #expect(await probe.result() != nil)
            #expect(try bench.difference(content, in: name) == nil)
        }
        #expect(bench.server.history.maximumOpenConnectionCount <= 6)
    }

    // MARK: - What fails

    @Test(
        arguments: [
            ("ftp://127.0.0.1/file", .unsupportedURL), ("file:///etc/passwd", .unsupportedURL),
            ("http://", .badURL), ("http://[", .badURL),
        ] as [(String, TransferError.Code)]
    )
    func `a URL that cannot be asked for fails, though not from inside the start`(
        url: String,
        code: TransferError.Code
    ) async throws {
        let probe = bench.download(TransferRequest(url: url))
        #expect(probe.events == [])
        #expect(await probe.failure()?.code == code)
        #expect(probe.events == [.failed(code)])
        #expect(try bench.temporary.directory.names() == [])
    }

    @Test func `a server that is not there fails`() async throws {
        let url = bench.server.url("/file")
        try await bench.server.stop()
        let probe = bench.download(TransferRequest(url: url))
        #expect(await probe.failure()?.code == .cannotConnectToHost)
    }

    @Test(.enabled(if: SmallDisk.canBeMade, "needs a mount"))
    func `a full disk fails the download and keeps what fitted`() async throws {
        let small = try SmallDisk(byteCount: 1 << 20)
        let bench = try DownloadBench(temporary: TemporaryDirectory(in: small.path))
        bench.server.on("/file", .file(FixtureFile(content)))
        let probe = bench.download()
        #expect(await probe.failure()?.code == .diskFull)
        let kept = try #require(probe.checkpoint)
        #expect(kept.writtenByteCount > 0)
        let bytes = try bench.temporary.contents(of: "file")
        #expect(Int64(bytes.count) == kept.writtenByteCount)
        #expect(content.firstDifference(from: bytes, in: 0..<kept.writtenByteCount) == nil)
        #expect(try probe.resumeData().byteCount == kept.writtenByteCount)
    }

    @Test func `a place for the file that is none fails the download before any request`()
        async throws
    {
        _ = try bench.temporary.directory.openSubdirectory("file")
        bench.server.on("/file", .file(FixtureFile(content)))
        #expect(await bench.download().failure()?.code == .cannotCreateFile)
        #expect(bench.server.requests.isEmpty)
    }

    @Test func `BG-16: a server that stalls fails with a time-out and the bytes are kept`()
        async throws
    {
        let gate = FixtureGate()
        bench.server.on("/file", .file(FixtureFile(content)).stalling(after: 100_000, at: gate))
        var request = bench.request()
        request.idleTimeout = 0.3
        let probe = bench.download(request)
        #expect(await probe.failure()?.code == .timedOut)
        #expect(probe.checkpoint?.writtenByteCount == 100_000)
    }

    @Test func `a header without end fails`() async throws {
        bench.server.on("/file", .endlessHeader)
        #expect(await bench.download().failure()?.code == .badServerResponse)
    }

    // MARK: - The disk

    @Test func `bytes are forced onto the disk while they arrive`() async throws {
        let gate = FixtureGate()
        bench.server.on("/file", .file(FixtureFile(content)).stalling(after: 100_000, at: gate))
        let probe = bench.download(
            configuration(.periodic(every: .milliseconds(20), by: bench.synchronizer))
        )
        await probe.wait { $0.events.contains(.checkpointed(100_000)) }
        #expect(probe.checkpoint?.synchronizedByteCount == 100_000)
        gate.open()
        #expect(await probe.result() != nil)
        #expect(probe.checkpoint?.synchronizedByteCount == content.byteCount)
        #expect(try bench.difference(content) == nil)
    }

    @Test func `TEST-13: bytes that come while the disk is at work get onto it as well`()
        async throws
    {
        let more = FixtureGate()
        let end = FixtureGate()
        let answer = FixtureAnswer.file(FixtureFile(content)).stalling(after: 50_000, at: more)
        bench.server.on("/file", answer.stalling(after: 100_000, at: end))
        let disk = Gate()
        bench.synchronizer.queue.perform { disk.wait() }
        let probe = bench.download(
            configuration(.periodic(every: .zero, by: bench.synchronizer))
        )
        await probe.wait { $0.events.contains { $0.isProgress(to: 50_000) } }
        more.open()
        await probe.wait { $0.events.contains { $0.isProgress(to: 100_000) } }
        disk.open()
        await probe.wait { $0.events.contains(.checkpointed(100_000)) }
        end.open()
        #expect(await probe.result() != nil)
    }

    @Test func `without synchronisation there are no checkpoints`() async throws {
        bench.server.on("/file", .file(FixtureFile(content)))
        let probe = bench.download()
        _ = await probe.result()
        #expect(!probe.events.contains { $0.isCheckpoint })
        #expect(probe.checkpoint?.synchronizedByteCount == 0)
    }

    @Test func `a file that finishes at once is on the disk`() async throws {
        bench.server.on("/file", .content(.text("short")))
        let probe = bench.download(configuration(.everySecond(bench.synchronizer)))
        #expect(await probe.result() != nil)
        #expect(probe.checkpoint?.synchronizedByteCount == 5)
    }

    @Test func `a disk that fails fails the download, and only safe bytes are kept`()
        async throws
    {
        let gate = FixtureGate()
        bench.server.on("/file", .file(FixtureFile(content)).stalling(after: 100_000, at: gate))
        let disk = FailureSwitch()
        let file = PartialFile(
            directory: bench.temporary.directory,
            name: "file",
            currentBoot: .current
        ) { (_, _) throws(TransferError) in try disk.check() }
        let probe = DownloadProbe(
            bench.request(),
            file,
            client: bench.client,
            Download.Configuration(
                synchronization: .periodic(every: .milliseconds(20), by: bench.synchronizer)
            )
        )
        await probe.wait { $0.events.contains(.checkpointed(100_000)) }
        disk.isFailing = true
        gate.open()
        #expect(await probe.failure()?.code == .cannotWriteToFile)
        #expect(probe.checkpoint?.writtenByteCount == 100_000)
        #expect(probe.checkpoint?.synchronizedByteCount == 100_000)
    }

    private func configuration(
        _ synchronization: Download.Synchronization
    ) -> Download.Configuration {
        Download.Configuration(synchronization: synchronization)
    }
}

extension DownloadBench {
    fileprivate func download(_ configuration: Download.Configuration) -> DownloadProbe {
        download(nil, configuration)
    }
}
