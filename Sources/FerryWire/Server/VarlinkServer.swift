package import FerrySystem
@preconcurrency import Glibc

/// Serves the interface of this module, and the one that every Varlink service has, on sockets.
///
/// A client of another user is refused before a byte of it is read. What a client sends can end its own connection
/// and nothing else.
@LoopActor
package final class VarlinkServer {
    /// The number of open connections.
    package private(set) var connectionCount = 0

    private let information: ServiceInformation
    private let limits: Limits
    private let user: UInt32
    private weak var handler: (any VarlinkServerHandler)?
    private var listeners: [VarlinkListener] = []
    private var connections: [ObjectIdentifier: VarlinkConnection] = [:]
    private var connectionCounts: [Int64: Int] = [:]
    private var heldByteCounts: [ObjectIdentifier: Int] = [:]
    private var heldByteCount = 0

    /// Creates a server that does not listen yet.
    ///
    /// - Parameters:
    ///   - information: The information about the service.
    ///   - handler: Answers the calls; it is not retained.
    ///   - limits: The limits for clients.
    ///   - user: The only user whose clients are served.
    package init(
        information: ServiceInformation,
        handler: any VarlinkServerHandler,
        limits: Limits = Limits(),
        user: UInt32 = geteuid()
    ) {
        self.information = information
        self.handler = handler
        self.limits = limits
        self.user = user
    }

    /// Accepts connections on a listening socket, which the server then owns.
    ///
    /// - Parameters:
    ///   - socket: The socket.
    ///   - isShared: Whether another process, such as systemd, continues to listen on it when this one stops.
    /// - Throws: `fcntl`, `epoll_ctl`.
    package func listen(
        on socket: consuming FileDescriptor,
        isShared: Bool = false
    ) throws(SystemCallError) {
        let listener = try VarlinkListener(socket, isShared: isShared) { [weak self] connection in
            self?.accept(connection)
        }
        listeners.append(listener)
    }

    /// Serves a socket that is connected already, under the same rules as an accepted one.
    package func accept(_ socket: consuming FileDescriptor) {
        do throws(SystemCallError) {
            let peer = try PeerCredentials(of: socket.rawValue)
            if let reason = reasonToRefuse(peer) {
                refuse(socket, from: peer, because: reason)
                return
            }
            let connection = VarlinkConnection(socket, peer: peer, server: self, limits: limits)
            try connection.start()
            connections[ObjectIdentifier(connection)] = connection
            connectionCount += 1
            connectionCounts[peer.process, default: 0] += 1
            handler?.connectionDidOpen(connection)
        } catch {
            // The client is gone already, or the kernel is out of memory: only this client is affected.
            return
        }
    }

    /// Stops listening on sockets of this process, and serves every client that connected before.
    ///
    /// A daemon that wants to end calls it, and ends if ``connectionCount`` is still 0 then. Shared sockets are only
    /// released: their clients wait for the next process that listens.
    package func stopListeningAndDrain() {
        for listener in listeners { listener.stopDraining() }
        listeners = []
    }

    /// Stops accepting; clients that connect from now on wait for the next process that holds the sockets.
    package func stopListening() {
        for listener in listeners { listener.stop() }
        listeners = []
    }

    /// Stops listening and closes all connections.
    package func close() {
        stopListening()
        for connection in connections.values { connection.close() }
    }

    // MARK: - For connections

    func dispatch(
        _ content: IncomingCall.Content,
        _ call: PendingCall,
        from connection: VarlinkConnection
    ) {
        switch content {
        case .transfer(let transfer):
            transfer.perform(handler, call, connection)
        case .information:
            call.answer(continues: false) { information.write(to: &$0) }
        case .description(let interface):
            describe(interface, to: call)
        case .invalid(let error):
            call.fail(.service(error))
        }
    }

    func connectionDidHangUp(_ connection: VarlinkConnection) {
        handler?.connectionDidHangUp(connection)
    }

    func connectionDidClose(_ connection: VarlinkConnection, because reason: DisconnectReason) {
        let key = ObjectIdentifier(connection)
        guard connections.removeValue(forKey: key) != nil else { return }
        connectionCount -= 1
        let process = connection.peer.process
        let remaining = (connectionCounts[process] ?? 1) - 1
        connectionCounts[process] = remaining > 0 ? remaining : nil
        heldByteCount -= heldByteCounts.removeValue(forKey: key) ?? 0
        // Its descriptor may be the one that a client waits for.
        for listener in listeners { listener.resume() }
        handler?.connectionDidClose(connection, because: reason)
    }

    func heldByteCountDidChange(of connection: VarlinkConnection) {
        let key = ObjectIdentifier(connection)
        let count = connection.heldByteCount
        guard count != heldByteCounts[key] ?? 0, connections[key] != nil else { return }
        heldByteCount += count - (heldByteCounts[key] ?? 0)
        heldByteCounts[key] = count > 0 ? count : nil
        guard
            heldByteCount > limits.heldByteCount,
            let greatest = heldByteCounts.max(by: { $0.value < $1.value })
        else { return }
        connections[greatest.key]?.close(because: .heldTooMuch(byteCount: greatest.value))
    }

    // MARK: - Private

    private func reasonToRefuse(_ peer: PeerCredentials) -> DisconnectReason? {
        if peer.userIdentifier != user { return .foreignUser }
        if connectionCounts[peer.process] ?? 0 >= limits.connectionCountPerProcess {
            return .tooManyConnections(maximum: limits.connectionCountPerProcess)
        }
        if connectionCount >= limits.connectionCount, !makeRoom(for: peer) {
            return .tooManyConnections(maximum: limits.connectionCount)
        }
        return nil
    }

    /// Closes a connection of the process that has the most, so that a few processes do not lock
    /// out all others.
    ///
    /// - Returns: Whether there was a process that had more than the newcomer will have.
    private func makeRoom(for peer: PeerCredentials) -> Bool {
        guard let greatest = connectionCounts.max(by: { $0.value < $1.value }),
            greatest.value > (connectionCounts[peer.process] ?? 0) + 1
        else { return false }
        let candidates = connections.values.filter { $0.peer.process == greatest.key }
        // An idle connection is missed the least.
        guard let victim = candidates.first(where: \.isIdle) ?? candidates.first else {
            return false
        }
        victim.close(because: .tooManyConnections(maximum: limits.connectionCount))
        return true
    }

    private func refuse(
        _ socket: consuming FileDescriptor,
        from peer: PeerCredentials,
        because reason: DisconnectReason
    ) {
        // A client of another user gets no reply; one of this user gets the error before its first call.
        if case .tooManyConnections(let maximum) = reason {
            let message = MessageCoding.message(
                failing: .transfer(.limitExceeded(limit: "connections", maximum: Int64(maximum)))
            )
            let descriptor = socket.rawValue
            _ = try? message.withUnsafeBytes { try SocketMessage.send($0, over: descriptor) }
        }
        handler?.serverDidRefuse(peer, because: reason)
    }

    private func describe(_ interface: String, to call: PendingCall) {
        switch interface {
        case Wire.interface:
            answer(call, describing: Wire.description)
        case ServiceInformation.interface:
            answer(call, describing: ServiceInformation.description)
        default:
            call.fail(.service(.interfaceNotFound(interface)))
        }
    }

    private func answer(_ call: PendingCall, describing text: String) {
        call.answer(continues: false) { output in
            output.object { $0.member("description", text) }
        }
    }
}

extension VarlinkServer {
    /// The limits for clients of a server; a client that exceeds them harms only itself.
    package struct Limits: Hashable, Sendable {
        /// The size of a call; a connection with a greater one is closed.
        package var message = MessageLimits.calls
        /// The calls of one connection that are carried out at once; further ones wait unread.
        ///
        /// They share a transaction, for which the disk takes the same time as for a single call.
        package var pendingCallCount = 1024
        /// The bytes of these calls; a further one waits unread unless it is the only one.
        package var pendingByteCount = 1 << 20
        /// The calls of one connection that have brought a file and are carried out at once: each needs a descriptor.
        package var pendingFileCount = 256
        /// The connections of one process; further ones are refused.
        package var connectionCountPerProcess = 128
        /// All connections; a further one replaces one of the process that has the most.
        package var connectionCount = 2048
        /// The number of unread bytes of answers from which ``Reply/isWritable`` is false.
        package var writableByteCount = 256 << 10
        /// The number of unread bytes of answers above which a connection is closed.
        package var queuedByteCount = 32 << 20
        /// The bytes held for all connections; above this, the one with the most is closed.
        package var heldByteCount = 128 << 20

        /// The time for which the calls of a client that is gone wait for a file that was passed with one of them.
        package var hangUpTimeout = Duration.seconds(30)

        /// Creates ferryd's limits.
        package init() {}
    }
}

/// A service that is also notified of its connections.
@LoopActor
package protocol VarlinkServerHandler: TransferService {
    /// A client of this process's user has connected.
    func connectionDidOpen(_ connection: VarlinkConnection)

    /// A client is gone, but some of its calls are still to be carried out, one of which waits for a file that does
    /// not respond yet. The end of the connection follows.
    func connectionDidHangUp(_ connection: VarlinkConnection)

    /// A connection is gone; its open replies were notified before.
    func connectionDidClose(_ connection: VarlinkConnection, because reason: DisconnectReason)

    /// A connection was not accepted.
    func serverDidRefuse(_ peer: PeerCredentials, because reason: DisconnectReason)
}

extension VarlinkServerHandler {
    /// Does nothing, for handlers that do not care.
    package func connectionDidOpen(_ connection: VarlinkConnection) {}

    /// Does nothing, for handlers that do not care.
    package func connectionDidHangUp(_ connection: VarlinkConnection) {}

    /// Does nothing, for handlers that do not care.
    package func connectionDidClose(
        _ connection: VarlinkConnection,
        because reason: DisconnectReason
    ) {}

    /// Does nothing, for handlers that do not care.
    package func serverDidRefuse(_ peer: PeerCredentials, because reason: DisconnectReason) {}
}
