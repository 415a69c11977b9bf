import FerryHTTP
import FoundationEssentials
import Testing

@testable import FerryTransfer

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
