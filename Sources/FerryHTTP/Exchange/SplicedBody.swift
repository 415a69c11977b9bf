import FerrySystem

/// The rest of a body on its way from a connection's socket, which libcurl reads no more, into a
/// pipe.
@LoopActor final class SplicedBody {
    /// What the socket has brought.
    enum Arrival {
        /// The pipe holds bytes.
        case bytes
        /// The pipe holds the last bytes of the body.
        case lastBytes
        /// Nothing more will come.
        case failure(HTTPError)
    }

    private let socket: FileDescriptor
    private let emptyPipe: () -> SplicePipe?
    private let handler: @LoopActor (SplicePipe?, Arrival) -> Void
    private var missingByteCount: Int64
    private var watch: Watch?

    /// Takes over what a socket will bring; nothing comes before ``resume()``.
    ///
    /// - Parameters:
    ///   - socket: The connection, of which libcurl has another descriptor.
    ///   - byteCount: How many bytes are missing, at least 1.
    ///   - emptyPipe: What to put them into, asked for each time: somebody else may have left bytes
    ///     in the pipe of the time before. `nil` when no pipe can be had.
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

    /// Leaves what comes in the socket, whose sender has to stop when it is full.
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
