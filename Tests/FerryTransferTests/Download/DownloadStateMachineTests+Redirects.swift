import FerryHTTP
import Testing

@testable import FerryTransfer

extension DownloadStateMachineTests {
    @Test func `a redirect is followed after its short body`() throws {
        var machine = machine()
        _ = machine.start(holding: Self.held)
        let head = Self.head(302, [("Location", "/other"), ("Content-Length", "16384")])
        #expect(answer(&machine, head) == [.skipBody])
        var next = Self.request
        next.url = "http://host/other"
        let expected = Effect.send(
            Machine.Request(transfer: next, resumption: Self.resumption, redirectCount: 1)
        )
        #expect(machine.exchangeFinished(nil) == [expected])
        #expect(machine.currentRequest == next)
    }

    @Test(arguments: [
        [("Location", "/other"), ("Content-Length", "16385")], [("Location", "/other")],
    ])
    func `a redirect with a long body is not listened to`(fields: [(String, String)]) {
        var machine = machine()
        _ = machine.start(holding: nil)
        let effects = answer(&machine, Self.head(302, fields))
        #expect(effects.first == .cancelExchange)
        guard case .send? = effects.last else {
            Issue.record("\(effects)")
            return
        }
    }

    @Test func `a redirect whose body breaks off is followed`() {
        var machine = machine()
        _ = machine.start(holding: nil)
        _ = answer(&machine, Self.head(302, [("Location", "/x"), ("Content-Length", "5")]))
        guard case .send? = machine.exchangeFinished(Self.lost).last else {
            Issue.record("not followed")
            return
        }
    }

    @Test func `secrets do not go to another origin, the range does`() {
        var machine = machine()
        _ = machine.start(holding: Self.held)
        let effects = answer(&machine, Self.head(307, [("Location", "http://other/file")]))
        let expected = Machine.Request(
            transfer: TransferRequest(url: "http://other/file"),
            resumption: Self.resumption,
            redirectCount: 1
        )
        #expect(effects == [.cancelExchange, .send(expected)])
    }

    @Test func `DL-4: a chain of redirects ends at the 21st`() {
        var machine = machine()
        _ = machine.start(holding: Self.held)
        for count in 1...20 {
            let effects = answer(&machine, Self.head(302, [("Location", "/\(count)")]))
            #expect(failure(effects) == nil)
        }
        let effects = answer(&machine, Self.head(302, [("Location", "/21")]))
        #expect(effects.first == .cancelExchange)
        #expect(failure(effects)?.code == .tooManyRedirects)
        #expect(failure(effects)?.failingURL == "http://host/21")
        #expect(machine.receivedByteCount == 40)
    }

    @Test func `a redirect to what cannot be asked for is the server's fault`() {
        let bad = HTTPError(code: .badURL, message: "bad")
        var machine = machine()
        _ = machine.start(holding: nil)
        #expect(failure(machine.exchangeFinished(bad))?.code == .badURL)
        var redirected = self.machine()
        _ = redirected.start(holding: nil)
        _ = answer(&redirected, Self.head(302, [("Location", "http://other/")]))
        #expect(failure(redirected.exchangeFinished(bad))?.code == .badServerResponse)
    }

    @Test func `a restart begins at the first URL with all fields`() {
        var machine = machine()
        _ = machine.start(holding: Self.held)
        _ = answer(&machine, Self.head(302, [("Location", "http://other/file")]))
        let effects = answer(&machine, Self.part("bytes 0-99/100"))
        #expect(effects.last == Self.whole())
    }

    @Test func `the request that was answered is reported without our fields`() {
        var machine = machine()
        _ = machine.start(holding: Self.held)
        _ = answer(&machine, Self.head(302, [("Location", "/file?2")]))
        let effects = answer(&machine, Self.part("bytes 40-99/100"))
        guard case .reportResponse(_, let current)? = effects.dropFirst().first else {
            Issue.record("\(effects)")
            return
        }
        #expect(current.url == "http://host/file?2")
        #expect(current.fields == Self.request.fields)
    }
}
