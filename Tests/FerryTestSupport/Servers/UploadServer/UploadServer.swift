import Foundation
import Synchronization

/// A server on loopback that speaks one version of draft-ietf-httpbis-resumable-upload, as strictly as it can.
///
///     let server = try UploadServer(version: 6) { request in
///         request.number < 3 ? .cutting(after: 1000) : UploadBehaviour()
///     }
///
/// A request to any path but those of its resources is an upload to that path; ``contents(of:)`` is what has
/// come there. What a client does that the draft forbids is in ``violations``.
package final class UploadServer: Sendable {
    /// The version that it speaks.
    package let version: Int
    /// The port, chosen by the kernel.
    package let port: UInt16
    private let store = UploadStore()
    private let stopped = FixtureGate()

    /// Listens and serves, until the end of this object.
    ///
    /// - Parameters:
    ///   - version: The version, 3, 5, 6 or 8.
    ///   - limit: What it announces as `Upload-Limit`, and enforces as far as it is `max-append-size`.
    ///   - behaviour: How it treats a request, called for one request at a time and before the request is in
    ///     ``requests``.
    /// - Throws: When there is no port.
    package init(
        version: Int,
        limit: String? = nil,
        behaviour: @escaping @Sendable (UploadServerRequest) -> UploadBehaviour = { _ in
            UploadBehaviour()
        }
    ) throws {
        self.version = version
        let listener = try FixtureListener(host: "127.0.0.1")
        port = listener.port
        Thread.detachNewThread { [store, stopped] in
            listener.acceptAll(until: stopped) { socket in
                Thread.detachNewThread {
                    let connection = UploadConnection(
                        socket: socket,
                        version: version,
                        limit: limit,
                        store: store,
                        behaviour: behaviour
                    )
                    connection.serve()
                }
            }
        }
    }

    deinit { stopped.open() }

    /// The URL of a path, which starts with a slash.
    package func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// The requests so far, in the order of their arrival.
    package var requests: [UploadServerRequest] { store.requests }

    /// What a client has done that the draft forbids.
    package var violations: [String] { store.violations }

    /// The body of the last upload to a path, as far as it has come.
    package func contents(of path: String) -> [UInt8] { store.contents(of: path) }

    /// The bodies that have come whole to a path.
    package func completeContents(of path: String) -> [[UInt8]] {
        store.completeContents(of: path)
    }

    /// Returns when a condition holds; it is tried after everything that happens here.
    package func waitUntil(
        _ condition: @escaping @Sendable (UploadHistory) -> Bool
    ) async {
        await store.waitUntil(condition)
    }

    /// How many resources there are that are not complete.
    package var openUploadCount: Int { store.openCount }
}

/// A request as an ``UploadServer`` saw it.
package struct UploadServerRequest: Sendable {
    /// The request's place among all, from 0.
    package internal(set) var number = 0
    /// The method.
    package let method: String
    /// The path with the query, as sent.
    package let target: String
    /// The header's fields as sent, in their order.
    package let fields: [(name: String, value: String)]

    /// The first value of a field, in whatever case.
    package subscript(name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// What an ``UploadServer`` has seen so far.
package struct UploadHistory: Sendable {
    /// The requests in the order of their arrival.
    package internal(set) var requests: [UploadServerRequest] = []
    /// How many bytes of bodies have come, in all.
    package internal(set) var receivedByteCount = 0
    /// How many resources were taken back by their client.
    package internal(set) var removedCount = 0
}
