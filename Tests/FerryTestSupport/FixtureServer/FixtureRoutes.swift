import Synchronization

/// What the paths of a ``FixtureServer`` answer.
final class FixtureRoutes: Sendable {
    private let routes = Mutex<[String: FixtureRoute]>([:])
    private let holds = Mutex<[String: [FixtureHold]]>([:])

    func set(_ route: FixtureRoute, for path: String) {
        routes.withLock { $0[path] = route }
    }

    func set(_ holds: [FixtureHold], for path: String) {
        self.holds.withLock { $0[path] = holds }
    }

    /// Where to stop reading the body of a request whose head has come.
    func takeHold(for request: FixtureRequest) -> FixtureHold? {
        holds.withLock { holds in
            guard holds[request.path]?.isEmpty == false else { return nil }
            return holds[request.path]?.removeFirst()
        }
    }

    /// Takes the answer to a request, which no other request gets then.
    func takeAnswer(to request: FixtureRequest) -> FixtureRoute.Answer {
        let answer = routes.withLock { $0[request.path]?.next() }
        return answer ?? { _ in .status(404) }
    }
}

/// What one path of a ``FixtureServer`` answers, request after request.
struct FixtureRoute: Sendable {
    typealias Answer = @Sendable (FixtureRequest) -> FixtureAnswer

    private var waiting: [FixtureAnswer]
    private var last: Answer

    init(answers: [FixtureAnswer]) {
        waiting = answers.dropLast()
        let final = answers.last ?? .status(404)
        last = { _ in final }
    }

    init(answer: @escaping Answer) {
        waiting = []
        last = answer
    }

    mutating func next() -> Answer {
        guard !waiting.isEmpty else { return last }
        let first = waiting.removeFirst()
        return { _ in first }
    }
}
