import FerryHTTP
import FerrySystem

/// What carries the transfers of all sessions.
///
/// An application may approve a server that nobody else trusts, or prove who it is to one. The connection is then
/// open to every request of the same client: so a session that decides about certificates has a client of its own.
/// All others share one, and its connections.
@LoopActor
final class TransferClients {
    private let shared: HTTPClient
    private var own: [Int64: HTTPClient] = [:]

    init(sharing client: HTTPClient) { shared = client }

    /// The client for a session's next transfer.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - decides: Whether its application may decide about certificates.
    /// - Returns: The client.
    /// - Throws: ``HTTPError/Code/outOfMemory`` when libcurl cannot be set up.
    func client(for session: Int64, decides: Bool) throws(HTTPError) -> HTTPClient {
        guard decides else { return shared }
        if let client = own[session] { return client }
        let client = try HTTPClient(configuration: shared.configuration)
        own[session] = client
        return client
    }

    /// A session is gone, and with it its transfers.
    func forget(session: Int64) { own[session] = nil }
}
