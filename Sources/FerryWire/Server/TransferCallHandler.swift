package import FerrySystem

/// What answers the calls of the interface.
@LoopActor
package protocol TransferCallHandler: AnyObject {
    /// Carries out a call, whose answer may be given at once or later.
    ///
    /// A connection's calls come in their order. Their answers may be given in any: they are sent
    /// in the order of the calls.
    func handle(_ call: TransferCall, from connection: VarlinkConnection)

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

extension TransferCallHandler {
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
