package import FerrySystem

/// Who counts connections, and has a download have more than its first one.
@LoopActor
package protocol ConnectionLender: AnyObject {
    /// Lends a connection to a server if there is room for it, and nobody waits for it.
    ///
    /// - Parameter origin: The server, as ``Origin/description`` has it.
    /// - Returns: Whether there may be another connection.
    func lend(connectionTo origin: String) -> Bool

    /// Takes back a connection that was lent.
    func takeBack(connectionTo origin: String)
}
