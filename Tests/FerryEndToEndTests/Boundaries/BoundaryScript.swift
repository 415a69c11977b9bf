import FerryTestSupport
import Foundation

/// What the app of a run downloads and uploads, and how the servers make it hard.
struct BoundaryScript: Sendable {
    /// One download or upload.
    struct Item: Sendable {
        /// The last part of the URL.
        var name: String
        var content: FixtureContent
        /// The status that the app gets.
        var status = 200

        /// The path of the URL.
        var path: String { "/" + name }
    }

    /// The downloads of the first session, in the order of their creation.
    let items: [Item] = [
        Item(name: "empty", content: .empty),
        Item(name: "page", content: .seeded(1, byteCount: 4096)),
        Item(name: "picture", content: .seeded(2, byteCount: 300_000)),
        Item(name: "busy", content: .seeded(4, byteCount: 2000)),
        Item(name: "gone", content: .text("It is gone."), status: 404),
        Item(name: "paused", content: .seeded(5, byteCount: 200_000)),
        Item(name: "last", content: .seeded(6, byteCount: 100_000)),
        Item(name: "parts", content: .seeded(8, byteCount: 600_000)),
    ]
    /// The uploads of the first session, which are created after its downloads.
    let uploads: [Item] = [
        Item(name: "resumed", content: .seeded(9, byteCount: 300_000)),
        Item(name: "sent", content: .seeded(10, byteCount: 20_000)),
    ]
    /// The download of the session that is invalidated.
    let second = Item(name: "second", content: .seeded(7, byteCount: 1000))
    /// The download that is cancelled on its way and then continued by another task.
    static let interrupted = "paused"
    /// The download that only the relaunched app is told of.
    static let last = "last"
    /// The download that several connections fetch.
    static let divided = "parts"
    /// From which size on that is done: of no other file.
    static let dividedFrom = 400_000
    /// The upload to a server that continues it.
    static let resumable = "resumed"
    /// What a server answers to an upload.
    static let thanks = "thanks"

    /// Opened when the app has gone.
    let lastGate = FixtureGate()
    /// Opened when the task that stalls here has ended, for one that begins anew in its place.
    let pausedGate = FixtureGate()
    /// Opened when no other task needs the connections that parts are to be fetched by.
    let othersGate = FixtureGate()
    /// Opened when a second connection asks for a part.
    let partsGate = FixtureGate()

    /// Makes the server behave.
    func arrange(_ server: FixtureServer) {
        for item in items + [second] {
            let answer = FixtureAnswer.file(FixtureFile(item.content))
            switch item.name {
            case "picture":
                server.on(item.path, answer.resetting(after: 100_000), answer)
            case "busy":
                server.on(item.path, .retryLater(after: "0"), answer)
            case "gone":
                server.on(item.path, .status(404, body: "It is gone."))
            case Self.interrupted:
                let stalling = answer.stalling(after: 100_000, at: pausedGate)
                server.on(item.path) { $0.range == nil ? stalling : answer }
            case Self.last:
                // It is held up however often a new ferryd asks for the rest.
                let stalling = answer.stalling(after: 50_000, at: lastGate)
                let resumed = answer.stalling(after: 1000, at: lastGate)
                server.on(item.path) { $0.range == nil ? stalling : resumed }
            case Self.divided:
                server.on(item.path, answer: dividedAnswer(answer))
            default:
                server.on(item.path, answer)
            }
        }
        for upload in uploads where upload.name != Self.resumable {
            server.on(upload.path) { request in
                request.method == "PUT" ? .status(200, body: Self.thanks) : .status(405)
            }
        }
    }

    /// Both connections break while there are bytes of both: so what is there has to be read again.
    private func dividedAnswer(
        _ answer: FixtureAnswer
    ) -> @Sendable (FixtureRequest) -> FixtureAnswer {
        let first = answer.waiting(at: othersGate)
            .stalling(after: 100_000, at: partsGate).resetting(after: 150_000)
        // Less than the least part: so it is not asked for once more before the other breaks.
        let part = answer.dropping(after: 30_000)
        let parts = Countdown(1)
        return { [partsGate] request in
            guard request.range != nil else { return first }
            partsGate.open()
            return parts.take() ? part : answer
        }
    }

    /// A server that continues uploads, and cuts the first one off that can be continued.
    ///
    /// After a call that fails another version is offered, and the first request may get here behind the second.
    func uploadServer() throws -> UploadServer {
        let cuts = Countdown(1)
        let version = 8
        return try UploadServer(version: version) { request in
            let isOffered = request["Upload-Draft-Interop-Version"] == "\(version)"
            return request.method == "PUT" && isOffered && cuts.take()
                ? .cutting(after: 100_000) : UploadBehaviour()
        }
    }

    /// Where the app has what it uploads.
    func source(of upload: Item, in home: TestHome) -> String {
        "\(home.files)/\(upload.name).source"
    }

    /// Puts there what the app uploads.
    func writeSources(in home: TestHome) throws {
        for upload in uploads {
            let url = URL(filePath: source(of: upload, in: home))
            try Data(upload.content.bytes).write(to: url)
        }
    }
}
