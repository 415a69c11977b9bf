import CCurl
import FerrySystem
import Glibc

/// A connection that libcurl has made, with TLS and proxies as for any request, for bytes that are
/// not its business.
///
/// It has a multi handle of its own: among the connections of a client it would count as one that
/// requests could use.
@LoopActor final class CurlConnection {
    private let multi: CurlMulti
    private let easy: CurlEasy
    private var socket: FileDescriptor?
    private var watch: Watch?
    private var watched: Readiness = []
    private var isClosed = false

    /// Begins to connect.
    ///
    /// - Parameters:
    ///   - url: Whose host to connect to; `http` or `https`.
    ///   - fields: Fields of which a proxy gets those that are for one.
    ///   - configuration: Whom to trust, and which proxy to take.
    ///   - completion: Called once, not from inside this call, unless the connection is closed
    ///     before.
    /// - Throws: ``HTTPError`` for a URL that cannot be used, and when memory runs out.
    init(
        to url: String,
        fields: [HTTPField],
        _ configuration: HTTPClient.Configuration,
        completion: @escaping @LoopActor (HTTPError?) -> Void
    ) throws(HTTPError) {
        multi = try CurlMulti(configuration)
        easy = try CurlEasy()
        try CurlURL.check(url)
        try easy.connect(to: url, fields: fields, configuration)
        multi.onCompletion = { [weak self] easy, code in
            guard let self else { return }
            completion(code == CURLE_OK ? takeSocket() : easy.error(code, hasHead: false))
        }
        multi.add(easy)
    }

    isolated deinit {
        close()
    }

    /// Ends the connection; nothing is reported any more.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        wait(for: []) { _ in }
        multi.remove(easy) {}
        multi.close()
        socket = nil
    }

    private func takeSocket() -> HTTPError? {
        guard let active = easy.activeSocket else {
            return HTTPError(code: .other, message: "libcurl does not tell its socket")
        }
        do throws(SystemCallError) {
            // A descriptor of its own: libcurl may still watch the other one.
            let duplicate = try systemCall("fcntl") { fcntl(active, F_DUPFD_CLOEXEC, 0) }
            socket = FileDescriptor(owning: duplicate)
            return nil
        } catch {
            return HTTPError(code: .outOfMemory, message: "\(error)")
        }
    }

    // MARK: Bytes

    /// Reads what has arrived; TLS may hold some of it, so that only `wouldBlock` means that there
    /// is nothing.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> CurlEasy.Transfer {
        isClosed ? .ended : easy.receive(into: buffer)
    }

    /// Sends as much as the kernel takes; see ``CurlEasy/send(_:)``.
    func send(_ bytes: UnsafeRawBufferPointer) -> CurlEasy.Transfer {
        isClosed ? .ended : easy.send(bytes)
    }

    /// Calls `handler` whenever the socket is ready for any of `readiness`; for an empty set, never.
    ///
    /// - Returns: Why that is not possible.
    @discardableResult
    func wait(
        for readiness: Readiness,
        handler: @escaping @LoopActor (Readiness) -> Void
    ) -> HTTPError? {
        guard readiness != watched else { return nil }
        watched = readiness
        do throws(SystemCallError) {
            if readiness.isEmpty {
                // Not only an empty set: that would report a hang-up again and again.
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
