import FerryHTTP
import FerryTestSupport
import Testing

@testable import FerryTransfer

extension DownloadStateMachineTests {
    /// What a download shows that goes on with 40 bytes, and has got a part for its first answer.
    private func shown(
        _ earlier: HTTPResponseHead? = nil,
        announces: Bool = false,
        version: ResourceVersion = version(),
        part: HTTPResponseHead = part("bytes 40-99/100")
    ) -> HTTPResponseHead? {
        let configuration = Download.Configuration(
            link: version.link,
            announcesResumption: announces,
            earlierResponse: earlier
        )
        var machine = Machine(request: Self.request, configuration: configuration)
        _ = machine.after { $0.start(holding: Machine.Held(byteCount: 40, version: version)) }
        for case .reportResponse(let head, _) in answer(&machine, part) {
            _ = machine.after { $0.wrote(count: 60) }
            _ = machine.after { $0.loadFinished(nil) }
            let end = machine.after { $0.synchronized() }.last
            guard case .finish(let result)? = end else { return nil }
            #expect(result.response == head)
            return head
        }
        return nil
    }

    private static let first = head(
        200,
        [("ETag", "\"a\""), ("Content-Length", "100"), ("Content-Type", "audio/flac")]
    )

    @Test func `API-3: a download that is continued shows the response to its first request`() {
        #expect(shown(Self.first) == Self.first)
    }

    @Test func `API-3: where that is not known, the part's fields are those of the whole`() {
        let part = Self.head(
            206,
            [
                ("Content-Range", "bytes 40-99/100"), ("ETag", "\"a\""), ("Content-Length", "60"),
                ("Content-Digest", "sha-256=:AA==:"), ("Content-Type", "audio/flac"),
            ]
        )
        let whole = Self.head(
            200,
            [("ETag", "\"a\""), ("Content-Type", "audio/flac"), ("Content-Length", "100")]
        )
        #expect(shown(part: part) == whole)
    }

    @Test(arguments: [
        head(200, [("ETag", "\"b\""), ("Content-Length", "100")]),
        head(200, [("ETag", "\"a\""), ("Content-Length", "99")]),
        head(403, [("Content-Length", "100")]),
        head(206, [("ETag", "\"a\""), ("Content-Range", "bytes 5-99/101")]),
    ])
    func `API-3: a response that is not to the bytes at hand is not shown`(head: HTTPResponseHead) {
        #expect(shown(head) == Self.part("bytes 40-99/100").ofWhole(100))
    }

    @Test func `API-3: another address of the same bytes may have another validator`() {
        var version = Self.version("\"b\"")
        version.link = 7
        let part = Self.part("bytes 40-99/100", tag: "\"b\"")
        #expect(shown(Self.first, version: version, part: part) == Self.first)
        let elsewhere = Self.version("\"b\"", url: "http://mirror/file")
        #expect(Self.first.isResponse(of: elsewhere))
        #expect(!Self.first.isResponse(of: Self.version("\"b\"")))
    }

    @Test func `API-3, RD-7: a download of resume data shows the part that it began with`() {
        let part = Self.part("bytes 40-99/100")
        #expect(shown(announces: true) == part)
        // Its later attempts are Ferry's own.
        let later = Self.part("bytes 40-99/100", tag: "\"a\"")
        let begun = Self.part("bytes 10-99/100")
        #expect(shown(begun, part: later) == begun)
    }

    @Test func `API-3: what is begun anew shows the response that it was begun with`() {
        let configuration = Download.Configuration(earlierResponse: Self.first)
        var machine = Machine(request: Self.request, configuration: configuration)
        _ = machine.after { $0.start(holding: Self.held) }
        let other = Self.head(200, [("ETag", "\"b\""), ("Content-Length", "70")])
        #expect(answer(&machine, other).contains(.reportResponse(other, Self.request)))
    }

    @Test func `API-3: a range that the app has asked for is answered by a part`() {
        var request = Self.request
        request.fields.append(HTTPField(name: "Range", value: "bytes=40-99"))
        var machine = machine(request)
        _ = machine.after { $0.start(holding: nil) }
        let part = Self.part("bytes 40-99/100")
        #expect(answer(&machine, part, to: request).contains(.reportResponse(part, request)))
    }

    @Test func `SEC-6: what others have written to time and again is not kept`() {
        var machine = machine(Self.request)
        let changed = TransferError(code: .fileChanged, message: "changed")
        _ = machine.after { $0.start(holding: nil) }
        _ = machine.after { $0.fileFailed(changed) }
        _ = answer(&machine, Self.first)
        #expect(machine.after { $0.fileFailed(changed) }.contains(.discardFile))
        #expect(machine.hasEnded)
    }

    @Test func `API-3: a part between others is not shown as the download's response`() {
        let written = ByteRanges([0..<40, 60..<100])
        var machine = machine()
        _ = machine.after {
            $0.start(
                holding: Machine.Held(byteCount: 80, version: Self.version(), segments: written)
            )
        }
        let part = Self.part("bytes 40-59/100")
        let effects = answer(&machine, part)
        #expect(effects.contains(.reportResponse(part.ofWhole(100), Self.request)))
    }
}
