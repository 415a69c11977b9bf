import FerrySystem
@preconcurrency import Glibc

/// A socket that clients connect to.
@LoopActor
final class VarlinkListener {
    /// The number of connections that are accepted before other events have their turn.
    private static let acceptCount = 64
    /// The time to wait when the process or the system has no descriptor left.
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
        // A connection that is closed before it is accepted must not block the loop.
        try socket.setNonBlocking(true)
        self.socket = consume socket
        self.isShared = isShared
        self.onConnection = onConnection
        watch = try EventLoop.shared.watch(self.socket.rawValue, for: .readable) { [weak self] _ in
            self?.acceptSome()
        }
    }

    /// Stops accepting connections; those that wait in the kernel stay there.
    func stop() {
        watch?.cancel()
        watch = nil
        resumption?.cancel()
        resumption = nil
    }

    /// Refuses new connections from now on, and accepts those that were made before.
    ///
    /// There is no gap between the two: a client has either connected and is served, or is refused immediately. On a
    /// shared socket both would be wrong: it would stop for the other process as well, for which clients wait that
    /// have not been accepted yet.
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

    /// Pauses accepting: without a descriptor, a connection stays in the kernel and would keep waking the loop.
    private func pauseAccepting() {
        try? watch?.update([])
        resumption?.cancel()
        resumption = EventLoop.shared.schedule(after: Self.pause) { [weak self] in self?.resume() }
    }

    /// Accepts again, if that was paused: a descriptor may be free.
    func resume() {
        guard let resumption else { return }
        resumption.cancel()
        self.resumption = nil
        try? watch?.update(.readable)
    }
}
