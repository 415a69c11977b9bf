import Foundation

/// An HTTP/1.1 server on loopback, inside the test's process, that misbehaves as it is told.
///
/// Each path answers by a list, one ``FixtureAnswer`` per request; the last one repeats:
///
///     let server = try FixtureServer()
///     let file = FixtureFile(.seeded(7, byteCount: 8 << 20))
///     server.on("/song", .file(file).dropping(after: 100_000), .file(file))
///     download(server.url("/song"))
///     #expect(server.requests(to: "/song").map(\.range) == [nil, "bytes=100000-"])
///
/// or by a closure, when the answer depends on the request. A path without answers is 404.
///
/// Nothing in here waits for time to pass, save for ``FixtureAnswer/paced(bytesPerSecond:)``: a
/// stalled answer goes on when its ``FixtureGate`` is opened, and ``waitUntil(_:)`` returns when
/// the server has got as far as a test needs it. Each connection has a thread of its own, so that
/// no answer holds up another one.
package final class FixtureServer: Sendable {
    /// The port, chosen by the kernel.
    package let port: UInt16
    /// The address listened on.
    package let host: String

    private let routes = FixtureRoutes()
    private let log = FixtureLog()
    private let stopped = FixtureGate()

    /// Listens and serves, until ``stop()`` or the end of this object.
    package convenience init(host: String = "127.0.0.1") throws {
        try self.init(host: host, FixtureListener(host: host))
    }

    /// Listens and serves at a port that refused connections so far.
    package convenience init(at closed: FixtureClosedPort) throws {
        try self.init(host: "127.0.0.1", FixtureListener(at: closed))
    }

    private init(host: String, _ listener: FixtureListener) throws {
        self.host = host
        port = listener.port
        Thread.detachNewThread { [routes, log, stopped] in
            listener.acceptAll(until: stopped) { socket in
                let connection = FixtureConnection(
                    number: log.connectionOpened(socket),
                    socket: socket,
                    log: log,
                    hold: { routes.takeHold(for: $0) },
                    takeAnswer: { routes.takeAnswer(to: $0) }
                )
                Thread.detachNewThread { connection.serve() }
            }
            log.listeningEnded()
        }
    }

    deinit {
        stopped.open()
    }

    /// Closes the port and all connections, and returns when the port refuses connections.
    package func stop() async throws {
        stopped.open()
        try await log.waitUntil { !$0.isListening }
    }

    // MARK: Addresses

    /// The start of every URL here: `http://127.0.0.1:12345`.
    package var origin: String { "http://\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// The URL of a path, which starts with a slash.
    package func url(_ path: String) -> String { origin + path }

    // MARK: What is served

    /// Answers the first request to a path with the first of the answers, and so on; the last one
    /// repeats.
    ///
    /// Replaces what the path answered before.
    package func on(_ path: String, _ answers: FixtureAnswer...) {
        on(path, answers)
    }

    /// Answers the first request to a path with the first of the answers, and so on.
    package func on(_ path: String, _ answers: [FixtureAnswer]) {
        routes.set(FixtureRoute(answers: answers), for: path)
    }

    /// Answers the requests to a path with what a closure returns, called on the connection's
    /// thread.
    package func on(
        _ path: String,
        answer: @escaping @Sendable (FixtureRequest) -> FixtureAnswer
    ) {
        routes.set(FixtureRoute(answer: answer), for: path)
    }

    /// Stops to read the body of the first request to a path as the first of the holds says, and so on;
    /// further bodies are read to their end.
    ///
    /// Wait for ``FixtureHistory/heldBodyCount`` to know that it has come so far.
    package func hold(_ path: String, _ holds: [FixtureHold]) {
        routes.set(holds, for: path)
    }

    // MARK: What has happened

    /// Everything that has happened so far.
    package var history: FixtureHistory { log.history }

    /// The requests so far, in the order of their arrival.
    package var requests: [FixtureRequest] { log.history.requests }

    /// The requests to a path so far, in the order of their arrival.
    package func requests(to path: String) -> [FixtureRequest] {
        log.history.requests(to: path)
    }

    /// Returns when a condition holds; it is tried after everything that happens here.
    ///
    ///     try await server.waitUntil { $0.requests(to: "/song").count == 2 }
    ///
    /// - Throws: `CancellationError` when the task is cancelled, as it is by a test's time limit.
    package func waitUntil(
        _ condition: @escaping @Sendable (FixtureHistory) -> Bool
    ) async throws {
        try await log.waitUntil(condition)
    }
}
