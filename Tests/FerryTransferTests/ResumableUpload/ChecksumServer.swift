import FerryHTTP
import FerryTestSupport
import FoundationEssentials
import Synchronization

/// A server of tus that adds up what it gets; the second part arrives damaged.
final class ChecksumServer: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var parts: [Int] = []
    }

    private let server: FixtureServer
    private let state: Mutex<State>

    /// Whether it refuses all parts for the time being.
    private let takesNothing: Bool

    init(takesNothing: Bool = false) throws {
        self.takesNothing = takesNothing
        let server = try FixtureServer()
        self.server = server
        state = Mutex(State())
        server.on("/files") { [weak self] in self?.endpoint($0) ?? .status(500) }
        server.on("/files/1") { [weak self] in self?.resource($0) ?? .status(500) }
    }

    var url: String { server.url("/files") }

    var bytes: [UInt8] { state.withLock { $0.bytes } }

    /// The lengths of the parts that came.
    var parts: [Int] { state.withLock { $0.parts } }

    /// Returns when a request of this method has come to the resource.
    func waitForRequest(_ method: String) async throws {
        try await server.waitUntil { history in
            history.requests(to: "/files/1").contains { $0.method == method }
        }
    }

    private let version = ("Tus-Resumable", "1.0.0")

    private func endpoint(_ request: FixtureRequest) -> FixtureAnswer {
        guard request.method == "OPTIONS" else {
            return .status(201, fields: [version, ("Location", "/files/1")])
        }
        return .status(
            204,
            fields: [
                version, ("Tus-Version", "1.0.0"),
                ("Tus-Extension", "creation,checksum,termination"),
                ("Tus-Checksum-Algorithm", "sha1,sha256"),
            ]
        )
    }

    private func resource(_ request: FixtureRequest) -> FixtureAnswer {
        state.withLock { state in
            if request.method == "PATCH", takesNothing { return .status(423, fields: [version]) }
            guard request.method == "PATCH" else {
                return .status(204, fields: [version, ("Upload-Offset", "\(state.bytes.count)")])
            }
            state.parts.append(request.body.count)
            let hash = BodyHash(.sha256)
            var body = request.body
            if state.parts.count == 2 { body[1000] ^= 1 }
            body.withUnsafeBytes { hash.add($0) }
            let text = hash.finish().map { Data($0).base64EncodedString() } ?? ""
            guard request["Upload-Checksum"] == "sha256 \(text)" else {
                return .status(460, fields: [version])
            }
            state.bytes += body
            return .status(204, fields: [version, ("Upload-Offset", "\(state.bytes.count)")])
        }
    }
}
