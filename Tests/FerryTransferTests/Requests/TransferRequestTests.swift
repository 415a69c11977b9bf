import FerryHTTP
import FoundationEssentials
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5))) struct TransferRequestTests {
    @Test func `a request comes back from JSON, its body as base64`() throws {
        let request = TransferRequest(
            url: "https://host/ä",
            method: "POST",
            fields: [HTTPField(name: "A", value: "1"), HTTPField(name: "a", value: "2")],
            body: [0, 255, 10],
            idleTimeout: 12.5
        )
        let json = try JSONEncoder().encode(request)
        #expect(String(decoding: json, as: UTF8.self).contains("\"AP8K\""))
        #expect(try JSONDecoder().decode(TransferRequest.self, from: json) == request)
    }

    @Test(
        arguments: [
            (60, .seconds(60)), (0.5, .milliseconds(500)), (0, .zero), (-1, .zero),
            (.infinity, .zero),
            (.nan, .zero), (1e300, .zero),
        ] as [(Double, Duration)]
    )
    func `a time limit that is none is left out`(seconds: Double, duration: Duration) throws {
        var request = TransferRequest(url: "http://host/", idleTimeout: seconds)
        let sent = request.httpRequest(adding: [], protocolChoice: .http1)
        #expect(sent.idleTimeout == duration)
        request = try JSONDecoder().decode(
            TransferRequest.self,
            from: try JSONEncoder().encode(request)
        )
        #expect(request.httpRequest(adding: [], protocolChoice: .http1).idleTimeout == duration)
    }

    @Test(arguments: [
        TransferRequest(url: "http://host/", method: "POST"),
        TransferRequest(url: "http://host/", method: "HEAD"),
        TransferRequest(url: "http://host/", method: "get"),
        TransferRequest(url: "http://host/", body: [1]),
        TransferRequest(url: "http://host/", fields: [HTTPField(name: "range", value: "bytes=0-")]),
        TransferRequest(url: "http://host/", fields: [HTTPField(name: "If-Match", value: "*")]),
        TransferRequest(
            url: "http://host/",
            fields: [HTTPField(name: "IF-NONE-MATCH", value: "\"a\"")]
        ),
    ])
    func `RD-1: only a plain GET can be continued`(request: TransferRequest) {
        #expect(!request.isResumable)
    }

    @Test func `a GET with other fields can be continued`() {
        let fields = [HTTPField(name: "Authorization", value: "x")]
        #expect(TransferRequest(url: "http://host/", fields: fields, body: []).isResumable)
    }
}
