import FerrySystem

/// The rest of a body on its way from a connection's socket, which libcurl no longer reads, into a pipe.
@LoopActor final class SplicedBody {
    /// The result of reading the socket.
    enum Arrival {
        /// The pipe holds bytes.
        case bytes
        /// The pipe holds the last bytes of the body.
        case lastBytes
        /// No more bytes will arrive.
        case failure(HTTPError)
    }

    private let socket: FileDescriptor
    private let emptyPipe: () -> SplicePipe?
    private let handler: @LoopActor (SplicePipe?, Arrival) -> Void
    private var missingByteCount: Int64
    private var watch: Watch?

    /// Takes over a socket, but reads nothing before ``resume()``.
    ///
    /// - Parameters:
    ///   - socket: The connection, of which libcurl has another descriptor.
    ///   - byteCount: The number of missing bytes, at least 1.
    ///   - emptyPipe: Returns the pipe for the bytes, and is called each time: a handler may have left bytes
    ///     in the previous pipe. `nil` if there is no pipe.
    ///   - handler: Called for each arrival.
    init(
        of socket: consuming FileDescriptor,
        byteCount: Int64,
        through emptyPipe: @escaping () -> SplicePipe?,
        handler: @escaping @LoopActor (SplicePipe?, Arrival) -> Void
    ) {
        self.socket = socket
        self.emptyPipe = emptyPipe
        self.handler = handler
        missingByteCount = byteCount
    }

    isolated deinit {
        pause()
    }

    /// Waits for bytes.
    func resume() throws(SystemCallError) {
        guard watch == nil else { return }
        watch = try EventLoop.shared.watch(socket.rawValue, for: .readable) { [weak self] _ in
            self?.read()
        }
    }

    /// Leaves the bytes in the socket, so that the sender has to stop when it is full.
    func pause() {
        watch?.cancel()
        watch = nil
    }

    private func read() {
        guard let pipe = emptyPipe() else {
            return fail(.outOfMemory, "There is no descriptor left for a pipe")
        }
        do throws(SystemCallError) {
            guard let count = try pipe.fill(from: socket.rawValue, upTo: missingByteCount) else {
                return
            }
            guard count > 0 else {
                return fail(
                    .bodyTooShort,
                    "The connection ended \(missingByteCount) bytes before the body"
                )
            }
            missingByteCount -= Int64(count)
            handler(pipe, missingByteCount > 0 ? .bytes : .lastBytes)
        } catch {
            fail(.connectionLost, "\(error)")
        }
    }

    private func fail(_ code: HTTPError.Code, _ message: String) {
        handler(nil, .failure(HTTPError(code: code, message: message)))
    }
}
