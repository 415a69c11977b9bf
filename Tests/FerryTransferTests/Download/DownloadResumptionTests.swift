import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5)))
@LoopActor
struct DownloadResumptionTests {
    let bench: DownloadBench
    nonisolated static let content = FixtureContent.seeded(1, byteCount: 300_001)
    nonisolated static let other = FixtureContent.seeded(2, byteCount: 300_001)
    let file = FixtureFile(content)
    let changed = FixtureFile(other, entityTag: "\"v2\"")

    init() throws { bench = try DownloadBench() }

    /// Lets a first download break off after 100 000 bytes.
    private func breakOff() async -> DownloadProbe {
        let probe = bench.download()
        #expect(await probe.failure()?.code == .connectionLost)
        #expect(probe.checkpoint?.writtenByteCount == 100_000)
        return probe
    }

    private func serve(_ second: FixtureAnswer, _ later: FixtureAnswer...) {
        let first = FixtureAnswer.file(file).dropping(after: 100_000)
        switch later.first {
        case nil: bench.server.on("/file", first, second)
        case let third?: bench.server.on("/file", first, second, third)
        }
    }

    // MARK: - The same version

    @Test func `a lost connection is resumed at the byte it had reached`() async throws {
        serve(.file(file))
        let first = await breakOff()
        #expect(first.story == [.responded(200), .failed(.connectionLost)])
        let second = bench.download(checkpoint: first.checkpoint)
        #expect(await second.result()?.byteCount == 300_001)
        #expect(second.story == [.responded(200), .resumed(100_000, 300_001), .finished])
        #expect(try bench.difference(Self.content) == nil)
        #expect(bench.ranges() == [nil, "bytes=100000-"])
        #expect(bench.server.requests[1]["If-Range"] == "\"v1\"")
        // The client may have the last byte before the server has counted it.
        try await bench.server.waitUntil { $0.requests[1].state == .sent }
        #expect(bench.server.requests[1].sentBodyByteCount == 200_001)
    }

    @Test func `RD-8: progress goes on from the offset`() async throws {
        serve(.file(file))
        _ = await breakOff()
        let second = bench.download()
        _ = await second.result()
        guard case .progressed(let received, 300_001)? = second.events.first(where: \.isProgress)
        else {
            Issue.record("\(second.events)")
            return
        }
        #expect(received > 100_000)
    }

    @Test func `a kill costs no byte, though no checkpoint was kept`() async throws {
        serve(.file(file))
        _ = await breakOff()
        // No checkpoint and a new file object: all that a new process has is the file's name.
        let second = bench.download()
        #expect(await second.result() != nil)
        #expect(second.story.contains(.resumed(100_000, 300_001)))
        #expect(try bench.difference(Self.content) == nil)
    }

    @Test func `a date is a validator where there is no entity tag`() async throws {
        var file = file
        file.entityTag = nil
        bench.server.on("/file", .file(file).dropping(after: 100_000), .file(file))
        _ = await breakOff()
        #expect(await bench.download().result() != nil)
        #expect(bench.ranges() == [nil, "bytes=100000-"])
        #expect(bench.server.requests[1]["If-Range"] == file.lastModified)
        #expect(try bench.difference(Self.content) == nil)
    }

    @Test func `a body of unknown length is continued with its last byte`() async throws {
        bench.server.on("/file", .file(file).chunked().dropping(after: 100_000), .file(file))
        let first = bench.download()
        #expect(await first.failure()?.code == .connectionLost)
        let held = try #require(first.checkpoint).writtenByteCount
        #expect(held > 0)
        #expect(await bench.download().result() != nil)
        #expect(bench.ranges() == [nil, "bytes=\(held - 1)-"])
        #expect(try bench.difference(Self.content) == nil)
    }

    @Test func `a file that is complete already costs a byte`() async throws {
        bench.server.on("/file", .file(file))
        #expect(await bench.download().result() != nil)
        let second = bench.download()
        #expect(await second.result()?.byteCount == 300_001)
        #expect(second.story == [.responded(200), .resumed(300_000, 300_001), .finished])
        #expect(bench.ranges() == [nil, "bytes=300000-"])
        try await bench.server.waitUntil { $0.requests[1].sentBodyByteCount == 1 }
        #expect(try bench.difference(Self.content) == nil)
    }

    @Test func `a server that sends less than was asked for is asked again`() async throws {
        let content = Self.content
        bench.server.on("/file") { request in
            guard let range = request.range,
                let start = Int64(range.dropFirst(6).dropLast())
            else { return .file(FixtureFile(content)).dropping(after: 100_000) }
            let end = min(start + 50_000, content.byteCount)
            return .content(content).changing {
                $0.status = 206
                $0.part = start..<end
                $0.fields = [
                    ("ETag", "\"v1\""),
                    ("Content-Range", "bytes \(start)-\(end - 1)/\(content.byteCount)"),
                ]
            }
        }
        _ = await breakOff()
        let second = bench.download()
        #expect(await second.result()?.byteCount == 300_001)
        #expect(second.story == [.responded(200), .resumed(100_000, 300_001), .finished])
        #expect(
            bench.ranges() == [
                nil, "bytes=100000-", "bytes=150000-", "bytes=200000-", "bytes=250000-",
                "bytes=300000-",
            ]
        )
        #expect(try bench.difference(Self.content) == nil)
    }

    @Test func `a connection lost every time still comes to an end`() async throws {
        let file = file
        bench.server.on("/file") { _ in .file(file).dropping(after: 30_000) }
        var attempts = 0
        var checkpoint: Checkpoint?
        while attempts < 20 {
            attempts += 1
            let probe = bench.download(checkpoint: checkpoint)
            if case .finished? = await probe.end() { break }
            checkpoint = probe.checkpoint
        }
        #expect(attempts == 11)
        // Of the last connection, either side may notice the end first.
        try await bench.server.waitUntil {
            $0.requests.map(\.sentBodyByteCount).reduce(0, +) == 300_001
        }
        #expect(try bench.difference(Self.content) == nil)
    }

    // MARK: - Another version

    @Test func `RD-6: a changed file is fetched whole`() async throws {
        serve(.file(changed))
        let first = await breakOff()
        let second = bench.download(checkpoint: first.checkpoint)
        #expect(await second.result() != nil)
        #expect(second.story == [.restarted, .responded(200), .finished])
        #expect(try bench.difference(Self.other) == nil)
        #expect(second.checkpoint?.generation != first.checkpoint?.generation)
    }

    @Test func `a changed file whose server ignores If-Range is fetched whole`() async throws {
        let (file, changed) = (file, changed)
        bench.server.on("/file") { request in
            if request.range == nil, request.index == 0 {
                return .file(file).dropping(after: 100_000)
            }
            // The part is of the new version, and says so.
            return .file(changed).changing { response in
                guard request.range != nil else { return }
                response.status = 206
                response.part = 100_000..<300_001
                response.fields.append(("Content-Range", "bytes 100000-300000/300001"))
            }
        }
        _ = await breakOff()
        let second = bench.download()
        #expect(await second.result()?.response.status == 200)
        #expect(second.story == [.restarted, .restarted, .responded(200), .finished])
        #expect(second.restartReasons.last == "the part differs from what is at hand")
        #expect(bench.ranges() == [nil, "bytes=100000-", "bytes=87500-", nil, nil])
        #expect(try bench.difference(Self.other) == nil)
    }

    @Test func `a server that ignores ranges sends the whole`() async throws {
        var ignoring = file
        ignoring.ranges = .ignored
        serve(.file(ignoring))
        _ = await breakOff()
        let second = bench.download()
        #expect(await second.result() != nil)
        #expect(second.story == [.responded(200), .resumed(100_000, 300_001), .finished])
        #expect(try bench.difference(Self.content) == nil)
    }

    @Test(arguments: [
        "bytes 0-200000/300001", "bytes 99999-300000/300001", "bytes 100000-300000/300002",
        "bytes 100000-299999/300001", "bytes */300001", "nonsense", nil,
    ])
    func `a part that says it is another is not taken`(contentRange: String?) async throws {
        var lying = file
        lying.ranges = .misreported(contentRange: contentRange)
        serve(.file(lying))
        _ = await breakOff()
        let second = bench.download()
        #expect(await second.result() != nil)
        #expect(
            second.story == [.restarted, .responded(200), .resumed(100_000, 300_001), .finished]
        )
        #expect(bench.ranges() == [nil, "bytes=100000-", nil])
        #expect(try bench.difference(Self.content) == nil)
    }

    @Test func `a file that has become shorter is fetched whole in the end`() async throws {
        let short = FixtureContent.seeded(3, byteCount: 50_000)
        let shrunk = FixtureFile(short, entityTag: "\"v1\"")
        serve(.file(shrunk))
        _ = await breakOff()
        #expect(await bench.download().failure()?.code == .answerDoubted)
        let second = bench.download(nil, Download.Configuration(doubtTime: .zero))
        #expect(await second.result()?.byteCount == 50_000)
        #expect(try bench.difference(short) == nil)
    }

    @Test(arguments: [304, 412, 416])
    func `a refusal of the rest leads to the whole`(status: Int) async throws {
        serve(
            .status(status, fields: [("ETag", "\"v1\""), ("Content-Range", "bytes */100000")]),
            .file(file)
        )
        _ = await breakOff()
        let second = bench.download()
        #expect(await second.result()?.response.status == 200)
        #expect(bench.ranges() == [nil, "bytes=100000-", nil])
        #expect(try bench.difference(Self.content) == nil)
    }

    @Test func `a server that only ever refuses is given up, and the bytes are kept`()
        async throws
    {
        serve(.status(416), .status(206, body: "part of what?"))
        _ = await breakOff()
        let second = bench.download()
        #expect(await second.failure()?.code == .badServerResponse)
        #expect(second.checkpoint?.writtenByteCount == 100_000)
        #expect(bench.server.requests.count == 3)
    }

    @Test func `a part longer than it says is not taken`() async throws {
        let content = Self.content
        serve(
            FixtureAnswer.content(.bytes(content.bytes(in: 100_000..<300_001) + [1, 2, 3]))
                .chunked()
                .with(fields: [
                    ("ETag", "\"v1\""), ("Content-Range", "bytes 100000-300000/300001"),
                ])
                .changing { $0.status = 206 },
            .file(file)
        )
        _ = await breakOff()
        let second = bench.download()
        #expect(await second.result()?.byteCount == 300_001)
        #expect(second.story.contains(.restarted))
        #expect(try bench.difference(Self.content) == nil)
    }

    // MARK: - No proof

    @Test(arguments: [
        FixtureFile(content, entityTag: "W/\"v1\""),
        FixtureFile(content, entityTag: nil, lastModified: nil),
        FixtureFile(content, entityTag: nil, date: "Mon, 02 Nov 2026 08:00:00 GMT"),
        FixtureFile(content, entityTag: nil, lastModified: "yesterday"),
    ])
    func `KEEP-3: without proof the last bytes are compared`(file: FixtureFile) async throws {
        bench.server.on("/file", .file(file).dropping(after: 100_000), .file(file))
        let first = bench.download()
        #expect(await first.failure()?.code == .connectionLost)
        #expect(try first.resumeData().byteCount == 100_000)
        let second = bench.download(checkpoint: first.checkpoint)
        #expect(await second.result() != nil)
        #expect(bench.ranges() == [nil, "bytes=87500-"])
        #expect(try bench.difference(Self.content) == nil)
    }

    @Test func `RD-1: from a server that refuses ranges everything is fetched again`()
        async throws
    {
        let fields = [("Content-Encoding", "identity"), ("Accept-Ranges", "none")]
        let file = FixtureFile(Self.content, fields: fields)
        bench.server.on("/file", .file(file).dropping(after: 100_000), .file(file))
        let first = bench.download()
        #expect(await first.failure()?.code == .connectionLost)
        #expect(throws: ResumeData.Unavailable.noValidator) { try first.resumeData() }
        let second = bench.download(checkpoint: first.checkpoint)
        #expect(await second.result() != nil)
        #expect(bench.ranges() == [nil, nil])
        #expect(try bench.difference(Self.content) == nil)
    }

    @Test(arguments: [true, false])
    func `KEEP-1: no login page takes the place of a file that has no parts`(
        isPacked: Bool
    )
        async throws
    {
        let file = FixtureFile(Self.content, fields: [("Accept-Ranges", "none")])
        let packed = FixtureAnswer.gzip(Self.content).with(fields: [("ETag", "\"v1\"")])
        let whole = isPacked ? packed : .file(file)
        bench.server.on("/file", whole.dropping(after: 100_000), PartialFilesTests.page, whole)
        let request = bench.request("/file", isPacked ? [("Accept-Encoding", "gzip")] : [])
        let first = bench.download(request)
        #expect(await first.failure()?.code != nil)
        let held = first.checkpoint?.writtenByteCount ?? 0
        #expect(held > 50_000)
        #expect(throws: ResumeData.Unavailable.noValidator) { try first.resumeData() }
        let second = bench.download(request, checkpoint: first.checkpoint)
        #expect(await second.failure()?.code == .answerDoubted)
        #expect(second.checkpoint?.writtenByteCount == held)
        let third = bench.download(request, checkpoint: second.checkpoint)
        #expect(await third.result()?.byteCount == 300_001)
        #expect(bench.ranges() == [nil, nil, nil])
        #expect(try bench.difference(Self.content) == nil)
    }

    @Test func `a connection that is reset keeps what arrived`() async throws {
        bench.server.on("/file", .file(file).resetting(after: 100_000), .file(file))
        let first = bench.download()
        #expect(await first.failure()?.code == .connectionLost)
        #expect(await bench.download().result() != nil)
        #expect(try bench.difference(Self.content) == nil)
    }

    @Test func `a length that was a lie fails and keeps what arrived`() async throws {
        bench.server.on("/file", .file(file).claiming(contentLength: 400_000))
        let first = bench.download()
        #expect(await first.failure()?.code == .connectionLost)
        #expect(first.checkpoint?.writtenByteCount == 300_001)
        // The server's own story has changed: nothing of the first attempt is trusted.
        let second = bench.download()
        _ = await second.end()
        #expect(second.story.first == .restarted)
    }

    // MARK: - Unavailable servers

    @Test func `an unavailable server is waited for when there are bytes to lose`() async throws {
        serve(.retryLater(after: "7"), .file(file))
        _ = await breakOff()
        let waiting = Download.Configuration(unavailableResponses: .fail)
        let second = bench.download(nil, waiting)
        let error = try #require(await second.failure())
        #expect(error.code == .serverUnavailable)
        #expect(error.retryAfter == 7)
        let third = bench.download(nil, waiting)
        #expect(await third.result() != nil)
        #expect(third.story.contains(.resumed(100_000, 300_001)))
        #expect(try bench.difference(Self.content) == nil)
    }

    @Test func `a server that cuts every range off is asked for the whole in the end`()
        async throws
    {
        let file = file
        bench.server.on("/file") { request in
            if request.index == 0 { return .file(file).dropping(after: 100_000) }
            return request.range == nil ? .file(file) : .file(file).dropping(after: 0)
        }
        _ = await breakOff()
        for count in 1...Download.StateMachine.maximumFruitlessResumptionCount {
            let probe = bench.download()
            #expect(await probe.failure()?.code == .connectionLost)
            #expect(probe.checkpoint?.fruitlessResumptionCount == count)
            #expect(probe.checkpoint?.writtenByteCount == 100_000)
        }
        #expect(await bench.download().result() != nil)
        #expect(bench.ranges().last == .some(nil))
        #expect(try bench.difference(Self.content) == nil)
    }

    // MARK: - Resume data

    @Test func `RD-12: resume data of one owner is continued by another`() async throws {
        serve(.file(file))
        let first = await breakOff()
        let blob = try first.resumeData().encoded()
        let data = try ResumeData(decoding: blob)
        let adopted = try await PartialFile.adopt(
            data,
            into: bench.temporary.directory,
            as: "adopted",
            on: bench.synchronizer.queue
        )
        let second = DownloadProbe(
            data.request,
            adopted,
            checkpoint: data.checkpoint,
            client: bench.client,
            Download.Configuration(announcesResumption: true)
        )
        #expect(await second.result() != nil)
        #expect(second.story == [.responded(206), .resumed(100_000, 300_001), .finished])
        #expect(try bench.difference(Self.content, in: "adopted") == nil)
        #expect(try bench.temporary.directory.names() == ["adopted"])
    }

    @Test func `RD-6, RD-7: resume data of a changed file begins at 0, and says so`()
        async throws
    {
        serve(.file(changed))
        let data = try await breakOff().resumeData()
        let second = bench.download(
            data.request,
            checkpoint: data.checkpoint,
            Download.Configuration(announcesResumption: true)
        )
        #expect(await second.result() != nil)
        #expect(second.story == [.restarted, .responded(200), .resumed(0, 300_001), .finished])
        #expect(try bench.difference(Self.other) == nil)
    }
}
