package import FerrySystem

/// An owner that counts connections, and lends a download more than its first one.
@LoopActor
package protocol ConnectionLender: AnyObject {
    /// Lends a connection to a server if there is room and no other transfer waits for it.
    ///
    /// - Parameter origin: The server, as ``Origin/description`` has it.
    /// - Returns: Whether another connection is allowed.
    func lend(connectionTo origin: String) -> Bool

    /// Takes back a connection that was lent.
    func takeBack(connectionTo origin: String)
}
