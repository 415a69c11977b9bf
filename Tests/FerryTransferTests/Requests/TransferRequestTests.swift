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
        TransferRequest(url: "http://host/", fields: [HTTPField(name: "IF-RANGE", value: "\"a\"")]),
    ])
    func `RD-1: only a plain GET can be continued`(request: TransferRequest) {
        #expect(!request.isResumable)
    }

    @Test func `a GET of something newer can be continued, without that condition`() {
        let fields = ["if-none-match", "If-Modified-Since", "Accept"].map {
            HTTPField(name: $0, value: "x")
        }
        var request = TransferRequest(url: "http://host/", fields: fields)
        #expect(request.isResumable)
        request.ask(forPart: [])
        #expect(request.fields == fields)
        request.ask(forPart: [HTTPField(name: "Range", value: "bytes=1-")])
        #expect(request.fields.map(\.name) == ["Accept", "Range"])
    }

    @Test func `a GET with other fields can be continued`() {
        let fields = [HTTPField(name: "Authorization", value: "x")]
        #expect(TransferRequest(url: "http://host/", fields: fields, body: []).isResumable)
    }
}

@Suite(.timeLimit(.minutes(5))) struct SessionFieldsTests {
    private let fields = [
        HTTPField(name: "Authorization", value: "Bearer secret"),
        HTTPField(name: "X-Api-Key", value: "secret"),
        HTTPField(name: "Accept-Language", value: "de"),
    ]

    @Test(arguments: [
        ("https://a.example/1", true), ("https://a.example:443/2?q", true),
        ("http://a.example/1", false), ("https://a.example:8443/1", false),
        ("https://b.example/1", false),
    ])
    func `SEC-2: what a session adds goes to the task's own origin, and what is no secret anywhere`(
        url: String,
        isOwn: Bool
    ) {
        let request = TransferRequest(url: url, madeFor: "https://a.example/").adding(fields)
        #expect(request.fields == (isOwn ? fields : [fields[2]]))
        #expect(request.url == url)
    }

    @Test func `SEC-2: a request's own fields come first`() {
        let own = HTTPField(name: "x-api-key", value: "own")
        let request = TransferRequest(url: "https://a.example/", fields: [own]).adding(fields)
        #expect(request.fields == [own, fields[0], fields[2]])
    }

    @Test func `SEC-2: what a request was made for is not lost with resume data`() throws {
        let request = TransferRequest(url: "https://b.example/", madeFor: "https://a.example/")
        let text = try JSONEncoder().encode(request)
        let read = try JSONDecoder().decode(TransferRequest.self, from: text)
        #expect(read == request)
        #expect(read.adding(fields).fields == [fields[2]])
    }

    @Test func `SEC-8: an identity is shown to the task's own origin alone`() throws {
        let identity = HTTPIdentity([1], format: .pem)
        let own = try #require(OwnIdentity(identity, meantFor: "https://a.example/1"))
        #expect(own.identity(for: TransferRequest(url: "https://a.example/2")) == identity)
        #expect(own.identity(for: TransferRequest(url: "https://b.example/2")) == nil)
        #expect(own.identity(for: TransferRequest(url: "http://a.example/2")) == nil)
    }
}
