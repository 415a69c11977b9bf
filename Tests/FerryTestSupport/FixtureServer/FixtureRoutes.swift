import Synchronization

/// What the paths of a ``FixtureServer`` answer.
final class FixtureRoutes: Sendable {
    private let routes = Mutex<[String: FixtureRoute]>([:])

    func set(_ route: FixtureRoute, for path: String) {
        routes.withLock { $0[path] = route }
    }

    func answer(to request: FixtureRequest) -> FixtureAnswer {
        let next = routes.withLock { $0[request.path]?.next() }
        return next?(request) ?? .status(404)
    }
}
