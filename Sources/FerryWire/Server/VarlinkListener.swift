import FerrySystem
@preconcurrency import Glibc

/// A socket that clients connect to.
@LoopActor
final class VarlinkListener {
    /// How many connections are accepted before others have their turn.
    private static let acceptCount = 64
    /// How long to wait when the process or the system has no descriptor left.
    private static let pause = Duration.seconds(1)

    private let socket: FileDescriptor
    private let isShared: Bool
    private let onConnection: @LoopActor (consuming FileDescriptor) -> Void
    private var watch: Watch?
    private var resumption: LoopTimer?

    init(
        _ socket: consuming FileDescriptor,
        isShared: Bool,
        onConnection: @escaping @LoopActor (consuming FileDescriptor) -> Void
    ) throws(SystemCallError) {
        // A connection that is gone again before it is accepted must not block the loop.
        try socket.setNonBlocking(true)
        self.socket = consume socket
        self.isShared = isShared
        self.onConnection = onConnection
        watch = try EventLoop.shared.watch(self.socket.rawValue, for: .readable) { [weak self] _ in
            self?.acceptSome()
        }
    }

    /// Accepts no more connections; those that wait in the kernel stay there.
    func stop() {
        watch?.cancel()
        watch = nil
        resumption?.cancel()
        resumption = nil
    }

    /// Refuses new connections from this moment on, and accepts those that were made before.
    ///
    /// Between the two there is no gap: a client has either connected, and is served, or learns
    /// at once that nobody listens. On a shared socket both would be wrong: it would stop for the
    /// other process as well, which a client waits for that has not been accepted yet.
    func stopDraining() {
        stop()
        if isShared { return }
        shutdown(socket.rawValue, Int32(SHUT_RD))
        while let connection = try? UnixSocket.accept(from: socket) { onConnection(connection) }
    }

    private func acceptSome() {
        do {
            for _ in 0..<Self.acceptCount {
                guard watch != nil, let connection = try UnixSocket.accept(from: socket) else {
                    return
                }
                onConnection(connection)
            }
        } catch {
            pauseAccepting()
        }
    }

    /// Without a descriptor for it the connection stays, and would wake the loop at once again.
    private func pauseAccepting() {
        try? watch?.update([])
        resumption = EventLoop.shared.schedule(after: Self.pause) { [weak self] in
            try? self?.watch?.update(.readable)
        }
    }
}
