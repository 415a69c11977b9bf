import CCurl
import FerrySystem
import Glibc

/// A connection that libcurl makes, with TLS and proxies as for any request, for bytes that libcurl does not
/// interpret.
///
/// It has its own multi handle: in a client's, it would count as a connection that requests could use.
@LoopActor final class CurlConnection: HandshakeParty {
    /// The outcome of an attempt to connect.
    enum Outcome {
        case connected
        /// A proxy asks for a password.
        case refused(HTTPResponseHead)
        case failed(HTTPError)
    }

    /// The closures that decide about the server.
    struct Decisions {
        var trust: @LoopActor (HTTPServerTrust) -> HTTPTrustDecision
        var identity: @LoopActor (CertificateRequest) -> HTTPIdentityDecision
    }

    let request: HTTPRequest
    var cause: HTTPError?
    var hasGoneOnWithoutIdentity = false
    var isProtocolRefused = false

    private let decisions: Decisions
    private var tunnelParser: ResponseHeadParser
    private var tunnelRefusal: HTTPResponseHead?
    private let multi: CurlMulti
    private let easy: CurlEasy
    private var socket: FileDescriptor?
    private var watch: Watch?
    private var watched: Readiness = []
    private var isClosed = false

    /// Begins to connect.
    ///
    /// - Parameters:
    ///   - request: The request whose host to connect to; a proxy receives the fields that are for one.
    ///   - decisions: The closures that decide about the server, as far as the request asks.
    ///   - configuration: The authorities to trust and the proxy to use.
    ///   - completion: Called once, never synchronously, unless the connection is closed first.
    /// - Throws: ``HTTPError`` for a URL that cannot be used, and if memory runs out.
    init(
        for request: HTTPRequest,
        _ decisions: Decisions,
        _ configuration: HTTPClient.Configuration,
        completion: @escaping @LoopActor (Outcome) -> Void
    ) throws(HTTPError) {
        self.request = request
        self.decisions = decisions
        tunnelParser = ResponseHeadParser(
            url: request.url,
            maximumByteCount: configuration.maximumHeaderBytes
        )
        multi = try CurlMulti(configuration)
        easy = try CurlEasy()
        try CurlURL.check(request.url)
        try easy.connect(for: request, configuration)
        easy.party = self
        easy.onTunnelLine = { [weak self] line in self?.receivedTunnelLine(line) }
        multi.onCompletion = { [weak self] _, code in
            guard let self else { return }
            completion(outcome(of: code))
        }
        multi.add(easy)
    }

    isolated deinit {
        close()
    }

    /// Ends the connection; nothing is reported afterwards.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        wait(for: []) { _ in }
        multi.remove(easy) {}
        multi.close()
        socket = nil
    }

    private func outcome(of code: CURLcode) -> Outcome {
        if code == CURLE_OK { return takeSocket().map { .failed($0) } ?? .connected }
        if let tunnelRefusal { return .refused(tunnelRefusal) }
        return .failed(cause ?? easy.error(code, hasHead: false))
    }

    /// Keeps only a request for a password: nothing else from a proxy may pass for the server's response.
    private func receivedTunnelLine(_ line: UnsafeRawBufferPointer) {
        guard case .head(var head) = tunnelParser.append(line), head.status == 407 else { return }
        head.fields.removeAll { !$0.isNamed("Proxy-Authenticate") }
        tunnelRefusal = head
    }

    // MARK: Handshakes

    func decide(on trust: HTTPServerTrust) -> HTTPTrustDecision { decisions.trust(trust) }

    func decide(on certificateRequest: CertificateRequest) -> HTTPIdentityDecision? {
        decisions.identity(certificateRequest)
    }

    // MARK: Life

    private func takeSocket() -> HTTPError? {
        guard let active = easy.activeSocket else {
            return HTTPError(code: .other, message: "libcurl does not tell its socket")
        }
        do throws(SystemCallError) {
            // A duplicate, because libcurl may still watch its own descriptor.
            let duplicate = try systemCall("fcntl") { fcntl(active, F_DUPFD_CLOEXEC, 0) }
            socket = FileDescriptor(owning: duplicate)
            return nil
        } catch {
            return HTTPError(code: .outOfMemory, message: "\(error)")
        }
    }

    // MARK: Bytes

    /// Reads bytes that have arrived; TLS may hold some of them, so only `wouldBlock` means that there are
    /// none.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> CurlEasy.Transfer {
        isClosed ? .ended : explained(easy.receive(into: buffer))
    }

    /// Sends as much as the kernel takes; see ``CurlEasy/send(_:)``.
    func send(_ bytes: UnsafeRawBufferPointer) -> CurlEasy.Transfer {
        isClosed ? .ended : explained(easy.send(bytes))
    }

    /// In TLS 1.3, a server reports its verdict on a client's certificate after the handshake has ended for
    /// the client.
    private func explained(_ transfer: CurlEasy.Transfer) -> CurlEasy.Transfer {
        switch transfer {
        case .ended, .failure: cause.map { .failure($0) } ?? transfer
        case .bytes, .wouldBlock: transfer
        }
    }

    /// Calls `handler` whenever the socket is ready for any of `readiness`; for an empty set, never.
    ///
    /// - Returns: The error if that is not possible.
    @discardableResult
    func wait(
        for readiness: Readiness,
        handler: @escaping @LoopActor (Readiness) -> Void
    ) -> HTTPError? {
        guard readiness != watched else { return nil }
        watched = readiness
        do throws(SystemCallError) {
            if readiness.isEmpty {
                // An empty set is not enough: it would report a hang-up again and again.
                watch?.cancel()
                watch = nil
            } else if let watch {
                try watch.update(readiness)
            } else if let descriptor = socket?.rawValue {
                watch = try EventLoop.shared.watch(descriptor, for: readiness, handler: handler)
            }
            return nil
        } catch {
            return HTTPError(code: .outOfMemory, message: "\(error)")
        }
    }
}
