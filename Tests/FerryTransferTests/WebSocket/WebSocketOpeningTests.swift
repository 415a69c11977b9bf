import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct WebSocketOpeningTests {
    /// An opening that says where connections are opened, or why there are no more.
    private func opening(_ story: Recorder<String>) -> WebSocketOpening {
        WebSocketOpening(
            TransferRequest(url: "https://a.example/chat"),
            protocols: [],
            asksForTrust: false,
            environment: WebSocketOpening.Environment(
                decide: { _, answer in answer(.performDefaultHandling) },
                hasApproved: { _ in false },
                identity: { _ in nil },
                open: { transfer, _ in story.append(transfer.url) },
                giveUp: { error in story.append(error?.code.rawValue ?? "refused") }
            )
        )
    }

    @Test(arguments: [
        ("wss://b.example/chat", "https://b.example/chat"),
        ("WSS://b.example/chat", "https://b.example/chat"),
        ("ws://b.example/chat", "http://b.example/chat"),
        ("https://b.example/chat", "https://b.example/chat"),
        ("/other", "https://a.example/other"),
    ])
    func `a redirect is followed, whichever scheme and case the server uses`(
        location: String,
        url: String
    ) {
        for name in ["Location", "location", "LOCATION"] {
            let story = Recorder<String>()
            let opening = opening(story)
            opening.start()
            let field = HTTPField(name: name, value: location)
            let head = HTTPResponseHead(
                status: 302,
                fields: [field],
                url: "https://a.example/chat"
            )
            opening.refused(.answer(head))
            #expect(story.elements == ["https://a.example/chat", url], "\(name)")
        }
    }

    @Test(arguments: ["ftp://b.example/chat", "mailto:b@example"])
    func `a redirect to what is no server is an error`(location: String) {
        let story = Recorder<String>()
        let opening = opening(story)
        opening.start()
        let field = HTTPField(name: "location", value: location)
        let head = HTTPResponseHead(status: 302, fields: [field], url: "https://a.example/chat")
        opening.refused(.answer(head))
        #expect(story.elements == ["https://a.example/chat", "redirectToNonHTTP"])
    }
}
