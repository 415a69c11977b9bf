import FerryHTTP
import FerryTestSupport
import Testing

@testable import FerryTransfer

extension DownloadStateMachineTests {
    @Test func `RD-5, RD-7, RD-8: the rest is asked for, announced and appended`() {
        var machine = machine()
        #expect(
            machine.after { $0.start(holding: Self.held) } == [Self.rest(from: Self.resumption)]
        )
        let head = Self.part("bytes 40-99/100")
        #expect(
            answer(&machine, head) == [
                .continueFile(Self.version()),
                .reportResponse(head.ofWhole(100), Self.request),
                .reportResumption(offset: 40, total: 100),
                .takeBody,
            ]
        )
        #expect(machine.after { $0.receivedBytes(count: 60) } == [.write(dropping: 0)])
        #expect(
            machine.after { $0.wrote(count: 60) } == [.reportProgress(received: 100, total: 100)]
        )
        #expect(machine.after { $0.loadFinished(nil) } == [.synchronize])
    }

    @Test func `a complete file is proved by its last byte`() {
        var machine = machine()
        let all = Machine.Held(byteCount: 100, version: Self.version())
        _ = machine.after { $0.start(holding: all) }
        let effects = answer(&machine, Self.part("bytes 99-99/100"))
        #expect(effects.contains(.reportResumption(offset: 99, total: 100)))
        #expect(
            machine.after { $0.receivedBytes(count: 1) } == [
                .compare(count: 1, at: 99), .write(dropping: 1),
            ]
        )
        #expect(
            machine.after { $0.wrote(count: 0) } == [.reportProgress(received: 100, total: 100)]
        )
        #expect(machine.after { $0.loadFinished(nil) } == [.synchronize])
    }

    @Test func `a byte that was to prove a complete file must come`() {
        var machine = machine()
        _ = machine.after {
            $0.start(holding: Machine.Held(byteCount: 100, version: Self.version()))
        }
        _ = answer(&machine, Self.part("bytes 99-99/100"))
        #expect(failure(machine.after { $0.loadFinished(nil) })?.code == .connectionLost)
    }

    @Test
    func `KEEP-1: after a byte that differs the whole is asked for, and no page takes its place`() {
        var refuted = Self.version()
        refuted.refute()
        var machine = machine()
        _ = machine.after {
            $0.start(holding: Machine.Held(byteCount: 100, version: Self.version()))
        }
        _ = answer(&machine, Self.part("bytes 99-99/100"))
        _ = machine.after { $0.receivedBytes(count: 1) }
        #expect(
            machine.after { $0.compareFailed() } == [
                .cancelLoads, .continueFile(refuted),
                .reportRestart(reason: "the part differs from what is at hand"), Self.whole(),
            ]
        )
        #expect(machine.receivedByteCount == 100)
        let page = Self.head(200, [("Content-Type", "text/html"), ("Content-Length", "877")])
        var other = machine
        #expect(other.after { $0.cancel() } == [.cancelLoads])
        #expect(other.after { $0.compareFailed() } == [])
        #expect(failure(answer(&machine, Self.head(404, [])))?.code == .linkExpired)
        var held = Machine.Held(byteCount: 100, version: refuted)
        held.version.mediaType = "application/zip"
        var later = self.machine()
        #expect(later.after { $0.start(holding: held) } == [Self.whole()])
        #expect(failure(answer(&later, page))?.code == .answerDoubted)
        // What may be the file takes its place, also if it is the same as before.
        let zip = Self.head(
            200,
            [("ETag", "\"a\""), ("Content-Length", "100"), ("Content-Type", "application/zip")]
        )
        var last = self.machine()
        _ = last.after { $0.start(holding: held) }
        let effects = answer(&last, zip)
        #expect(effects.contains { if case .beginFile = $0 { true } else { false } })
        #expect(last.receivedByteCount == 0)
    }

    @Test func `a length that was unknown is learned from the rest`() {
        var machine = machine()
        let some = Machine.Held(byteCount: 40, version: Self.version(total: nil))
        _ = machine.after { $0.start(holding: some) }
        let effects = answer(&machine, Self.part("bytes 39-99/100"))
        #expect(effects.first == .continueFile(Self.version()))
        #expect(
            machine.after { $0.receivedBytes(count: 11) } == [
                .compare(count: 1, at: 39), .write(dropping: 1),
            ]
        )
        #expect(
            machine.after { $0.wrote(count: 10) } == [.reportProgress(received: 50, total: 100)]
        )
        #expect(machine.after { $0.receivedBytes(count: 50) } == [.write(dropping: 0)])
        #expect(
            machine.after { $0.wrote(count: 50) } == [.reportProgress(received: 100, total: 100)]
        )
        #expect(machine.after { $0.loadFinished(nil) } == [.synchronize])
    }

    @Test func `RD-6: a whole body takes the place of what is held`() {
        var machine = machine()
        _ = machine.after { $0.start(holding: Self.held) }
        let head = Self.head(200, [("ETag", "\"b\""), ("Content-Length", "70")])
        #expect(
            answer(&machine, head) == [
                .reportRestart(reason: "the server answers 200"),
                .beginFile(Self.version("\"b\"", total: 70)),
                .reportResponse(head, Self.request),
                .takeBody,
            ]
        )
        #expect(machine.receivedByteCount == 0)
        _ = machine.after { $0.wrote(count: 70) }
        #expect(machine.after { $0.loadFinished(nil) } == [.synchronize])
    }

    @Test func `RD-7: a restart is announced to an app that gave resume data`() {
        var machine = machine(announces: true)
        _ = machine.after { $0.start(holding: Self.held) }
        let other = Self.head(200, [("ETag", "\"b\""), ("Content-Length", "70")])
        let effects = answer(&machine, other)
        #expect(effects.suffix(2) == [.reportResumption(offset: 0, total: 70), .takeBody])
        var lost = self.machine(announces: true)
        _ = lost.after { $0.start(holding: nil) }
        #expect(
            answer(&lost, Self.head()).contains(.reportResumption(offset: 0, total: 100))
        )
    }

    @Test func `KEEP-3: a server that ignores ranges serves the whole of the same version`() {
        var machine = machine()
        _ = machine.after { $0.start(holding: Self.held) }
        #expect(answer(&machine, Self.head()) == [.takeBody])
        #expect(
            machine.after { $0.receivedBytes(count: 30) } == [
                .compare(count: 30, at: 0), .write(dropping: 30),
            ]
        )
        #expect(machine.after { $0.wrote(count: 0) } == [])
        // What is lost before the end of what was here costs nothing.
        #expect(machine.receivedByteCount == 40)
        #expect(
            machine.after { $0.receivedBytes(count: 70) } == [
                .compare(count: 10, at: 30), .continueFile(Self.version()), .write(dropping: 10),
            ]
        )
        #expect(
            machine.after { $0.wrote(count: 60) } == [
                .reportResponse(Self.head(), Self.request),
                .reportResumption(offset: 40, total: 100),
                .reportProgress(received: 100, total: 100),
            ]
        )
        #expect(machine.after { $0.loadFinished(nil) } == [.synchronize])
    }

    @Test(arguments: [
        part("bytes 41-99/100"), part("bytes 0-99/100"), part("bytes 40-99/101"),
        part("bytes 40-99/100", tag: "\"b\""), part("bytes 40-99/100", tag: "W/\"a\""),
        head(206, [("ETag", "\"a\"")]), head(412), head(416), head(304),
        head(416, [("Content-Range", "bytes */40"), ("ETag", "\"a\"")]),
        head(200, [("Content-Range", "bytes 40-99/100"), ("Content-Length", "60")]),
    ])
    func `a part that proves nothing is left, and the whole asked for`(head: HTTPResponseHead) {
        var machine = machine()
        _ = machine.after { $0.start(holding: Self.held) }
        var effects = answer(&machine, head)
        guard case .reportRestart? = effects.first else {
            Issue.record("\(effects)")
            return
        }
        effects.removeFirst()
        if head.contentLength == nil {
            #expect(effects == [.cancelLoads, Self.whole()])
        } else {
            #expect(effects == [.skipBody])
            #expect(machine.after { $0.loadFinished(nil) } == [Self.whole()])
        }
        // Nothing is given up before something takes its place.
        #expect(machine.receivedByteCount == 40)
        #expect(answer(&machine, Self.head()) == [.takeBody])
        #expect(machine.after { $0.receivedBytes(count: 40) }.first == .compare(count: 40, at: 0))
    }

    @Test func `a server that sends parts only is given up, and the bytes are kept`() {
        var machine = machine()
        _ = machine.after { $0.start(holding: Self.held) }
        _ = answer(&machine, Self.part("bytes 41-99/100"))
        let effects = answer(&machine, Self.part("bytes 41-99/100"))
        #expect(failure(effects)?.code == .badServerResponse)
        #expect(machine.receivedByteCount == 40)
    }

    @Test func `KEEP-1: a part longer than it says costs no byte, and the whole decides`() {
        let tooLong = Effect.reportRestart(reason: "the body is longer than announced")
        for body in [Self.head(), Self.head(200, [("ETag", "\"a\"")])] {
            var machine = machine()
            _ = machine.after { $0.start(holding: Self.held) }
            _ = answer(&machine, Self.part("bytes 40-79/100"))
            _ = machine.after { $0.receivedBytes(count: 40) }
            _ = machine.after { $0.wrote(count: 40) }
            // Nothing tells how much of it was right, so a part continues none of it, later neither.
            var doubtful = Self.version()
            doubtful.doubtParts()
            #expect(
                machine.after { $0.receivedBytes(count: 1) } == [
                    .continueFile(doubtful), .cancelLoads, tooLong, Self.whole(),
                ]
            )
            #expect(machine.receivedByteCount == 80)
            var later = self.machine()
            let held = Machine.Held(byteCount: 80, version: doubtful)
            #expect(later.after { $0.start(holding: held) } == [Self.whole()])
            // All of it is compared, which ends the doubt.
            #expect(answer(&machine, body) == [.takeBody])
            let effects = machine.after { $0.receivedBytes(count: 81) }
            #expect(
                effects == [
                    .compare(count: 80, at: 0), .continueFile(Self.version()), .write(dropping: 80),
                ]
            )
            _ = machine.after { $0.wrote(count: 1) }
            let rest = machine.after { $0.receivedBytes(count: 20) }
            if body.contentLength == nil {
                // It has no length, and goes beyond the one that is known.
                #expect(rest.prefix(2) == [.continueFile(doubtful), .cancelLoads])
                #expect(rest.contains(.recordDoubt(OddAnswer(body))))
                #expect(failure(rest)?.code == .answerDoubted)
                #expect(machine.receivedByteCount == 81)
            }
        }
    }

    @Test func `a server without parts that offers them later has them`() {
        let version = ResourceVersion(
            validator: .strongETag("\"a\""),
            totalByteCount: 100,
            url: Self.url,
            hasParts: false
        )
        var machine = machine()
        _ = machine.after { $0.start(holding: Machine.Held(byteCount: 40, version: version)) }
        _ = answer(&machine, Self.head())
        let effects = machine.after { $0.receivedBytes(count: 50) }
        #expect(effects.contains(.continueFile(Self.version())))
    }

    @Test func `without resume data an answer is withheld only from a download that goes on`() {
        let version = ResourceVersion(
            validator: .strongETag("\"a\""),
            totalByteCount: 100,
            url: Self.url,
            hasParts: false
        )
        let held = Machine.Held(byteCount: 40, version: version)
        for (status, waits, isWithheld) in [
            (404, false, false), (404, true, true), (503, false, true),
        ] {
            var machine = Machine(
                request: Self.request,
                configuration: Download.Configuration(
                    unavailableResponses: .fail,
                    holdsExpiredLinks: waits
                )
            )
            _ = machine.after { $0.start(holding: held) }
            #expect((failure(answer(&machine, Self.head(status, []))) != nil) == isWithheld)
        }
        var machine = machine()
        _ = machine.after { $0.start(holding: held) }
        #expect(failure(answer(&machine, Self.head(503, []))) == nil)
    }

    @Test func `a shorter part than asked for is continued, and is no news`() throws {
        var machine = machine()
        _ = machine.after { $0.start(holding: Self.held) }
        _ = answer(&machine, Self.part("bytes 40-59/100"))
        _ = machine.after { $0.wrote(count: 20) }
        let next = Resumption(byteCount: 60, version: Self.version())
        #expect(machine.after { $0.loadFinished(nil) } == [Self.rest(from: next)])
        #expect(
            answer(&machine, Self.part("bytes 60-99/100"))
                == [.continueFile(Self.version()), .takeBody]
        )
        _ = machine.after { $0.wrote(count: 40) }
        #expect(machine.after { $0.loadFinished(nil) } == [.synchronize])
    }

    @Test func `a part that does not even come to its own end fails`() {
        var machine = machine()
        _ = machine.after { $0.start(holding: Self.held) }
        _ = answer(&machine, Self.part("bytes 40-59/100"))
        _ = machine.after { $0.wrote(count: 10) }
        #expect(failure(machine.after { $0.loadFinished(nil) })?.code == .connectionLost)
        #expect(machine.receivedByteCount == 50)
    }

    @Test func `a lost connection while continuing keeps old and new bytes`() {
        var machine = machine()
        _ = machine.after { $0.start(holding: Self.held) }
        _ = answer(&machine, Self.part("bytes 40-99/100"))
        _ = machine.after { $0.wrote(count: 10) }
        #expect(failure(machine.after { $0.loadFinished(Self.lost) })?.code == .connectionLost)
        #expect(machine.receivedByteCount == 50)
    }

    @Test(arguments: [
        nil, Machine.Held(byteCount: 0, version: version()),
        Machine.Held(byteCount: 40, version: version(nil)),
    ])
    func `bytes that nothing proves are not continued`(held: Machine.Held?) {
        var machine = machine()
        #expect(machine.after { $0.start(holding: held) } == [Self.whole()])
    }

    @Test(arguments: [
        TransferRequest(url: url, method: "POST"),
        TransferRequest(url: url, fields: [HTTPField(name: "If-Match", value: "\"x\"")]),
    ])
    func `RD-1: other requests are not continued`(request: TransferRequest) {
        var machine = machine(request)
        #expect(machine.after { $0.start(holding: Self.held) } == [Self.whole(request)])
        let effects = answer(&machine, Self.head())
        #expect(effects.first == .beginFile(Self.version(nil, total: 100)))
    }

    @Test(arguments: [TransferError.Code.connectionLost, .badServerResponse])
    func `a resumption that is cut off before a byte is counted`(code: TransferError.Code) {
        let error = TransferError(code: code, message: "")
        var (machine, _) = resuming(after: 3)
        _ = machine.after { $0.loadFinished(error) }
        #expect(machine.fruitlessResumptionCount == 4)
        var (after, _) = resuming(after: 3)
        _ = answer(&after, Self.part("bytes 40-99/100"))
        _ = after.after { $0.loadFinished(error) }
        #expect(after.fruitlessResumptionCount == 4)
    }

    @Test(
        arguments: TransferError.Code.allCases.filter {
            ![.connectionLost, .badServerResponse].contains($0)
        }
    )
    func `a network that is away is not the server's fault`(code: TransferError.Code) {
        var (machine, _) = resuming(after: 3)
        _ = machine.after { $0.loadFinished(TransferError(code: code, message: "")) }
        #expect(machine.fruitlessResumptionCount == 3)
    }

    @Test func `a byte ends the count`() {
        var (machine, _) = resuming(after: 3)
        _ = answer(&machine, Self.part("bytes 40-99/100"))
        _ = machine.after { $0.receivedBytes(count: 1) }
        #expect(machine.fruitlessResumptionCount == 0)
        _ = machine.after { $0.loadFinished(Self.lost) }
        #expect(machine.fruitlessResumptionCount == 0)
    }

    @Test func `a server that always fails at ranges is asked for the whole`() {
        var (machine, effects) = resuming(after: Machine.maximumFruitlessResumptionCount)
        #expect(effects == [Self.whole()])
        // The bytes are still there in case it was the network.
        #expect(machine.receivedByteCount == 40)
        #expect(failure(machine.after { $0.loadFinished(Self.lost) })?.code == .connectionLost)
        #expect(machine.fruitlessResumptionCount == Machine.maximumFruitlessResumptionCount)
        let (_, almost) = resuming(after: Machine.maximumFruitlessResumptionCount - 1)
        #expect(almost == [Self.rest(from: Self.resumption)])
    }
}
