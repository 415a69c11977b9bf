package import FerrySystem

/// A service that also learns of its connections.
@LoopActor
package protocol VarlinkServerHandler: TransferService {
    /// A client has connected; its user is this process's.
    func connectionDidOpen(_ connection: VarlinkConnection)

    /// A client is gone, and calls of it are still to be carried out, one of which waits for a file that does not
    /// answer yet. The end of the connection follows.
    func connectionDidHangUp(_ connection: VarlinkConnection)

    /// A connection is gone; open replies of it have been told before.
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
