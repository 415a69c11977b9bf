import FerryHTTP
import FerryTestSupport
import Testing

@testable import FerryTransfer

extension DownloadStateMachineTests {
    /// What a redirect has made of the request for the rest.
    private var redirected: TransferRequest {
        var request = TransferRequest(url: "http://other/file")
        request.fields = Self.resumption?.fields ?? []
        return request
    }

    @Test func `a restart begins at the first URL with all fields`() {
        var machine = machine()
        _ = machine.after { $0.start(holding: Self.held) }
        let effects = answer(&machine, Self.part("bytes 0-99/100"), to: redirected)
        #expect(effects.last == Self.whole())
    }

    @Test func `the request that was answered is reported without our fields`() {
        var machine = machine()
        _ = machine.after { $0.start(holding: Self.held) }
        let effects = answer(&machine, Self.part("bytes 40-99/100"), to: redirected)
        guard case .reportResponse(_, let current)? = effects.dropFirst().first else {
            Issue.record("\(effects)")
            return
        }
        #expect(current == TransferRequest(url: "http://other/file"))
        #expect(machine.currentRequest == current)
    }

    @Test(arguments: [
        TransferRequest(url: "http://other/file", method: "POST"),
        TransferRequest(
            url: "http://other/file",
            fields: [HTTPField(name: "Range", value: "bytes=0-9")]
        ),
    ])
    func `what an app's own redirect asks for otherwise cannot be continued`(
        request: TransferRequest
    ) {
        var machine = machine()
        _ = machine.after { $0.start(holding: nil) }
        let effects = answer(&machine, Self.head(url: request.url), to: request)
        #expect(effects.first == .beginFile(Self.version(nil, url: request.url)))
    }
}
