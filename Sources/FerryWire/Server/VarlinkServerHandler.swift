package import FerrySystem

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
