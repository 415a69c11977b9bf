import FerryTestSupport

/// What the app of a run downloads, and how the server makes it hard.
struct BoundaryScript: Sendable {
    /// One download.
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
    ]
    /// The download of the session that is invalidated.
    let second = Item(name: "second", content: .seeded(7, byteCount: 1000))
    /// The download that is cancelled on its way and then continued by another task.
    static let interrupted = "paused"
    /// The download that only the relaunched app is told of.
    static let last = "last"

    /// Opened when the app has gone.
    let lastGate = FixtureGate()
    /// Opened when the task that stalls here has ended, for one that begins anew in its place.
    let pausedGate = FixtureGate()

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
            default:
                server.on(item.path, answer)
            }
        }
    }
}
