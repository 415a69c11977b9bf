import FerryHTTP
import FerrySystem

/// What carries the transfers of all sessions.
///
/// A connection that is kept is open to every request of the same client. So there is a client for each way in which
/// connections are made: sessions with the same proxies and the same authorities have one client, and its connections,
/// in common, and those that have said nothing share another. libcurl tells some of that apart itself, but neither the
/// passwords of proxies nor the contents of files.
///
/// An application may also approve a server that nobody else trusts, or prove who it is to one: a session that decides
/// about certificates has a client of its own.
@LoopActor
final class TransferClients {
    /// What the connections of a client have in common.
    private struct Kind: Hashable {
        var proxies: HTTPProxyList
        var authorities: TrustedAuthorities?
        /// The session that decides about certificates, if it does.
        var session: Int64?
    }

    private struct Entry {
        var kind: Kind
        let client: HTTPClient
    }

    private let shared: HTTPClient
    private var sessions: [Int64: Entry] = [:]

    init(sharing client: HTTPClient) { shared = client }

    /// The client for a session's next transfer.
    ///
    /// One that no session has any more ends with the last transfer that it carries.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - decides: Whether its application may decide about certificates.
    ///   - setup: How the connections are made.
    /// - Returns: The client.
    /// - Throws: ``HTTPError/Code/outOfMemory`` when libcurl cannot be set up.
    func client(
        for session: Int64,
        decides: Bool,
        _ setup: ConnectionSetup
    ) throws(HTTPError) -> HTTPClient {
        let isPlain = setup.proxies == .direct && setup.authorities == nil
        guard decides || !isPlain else {
            sessions[session] = nil
            return shared
        }
        let kind = Kind(
            proxies: setup.proxies,
            authorities: setup.authorities,
            session: decides ? session : nil
        )
        if let entry = sessions[session], entry.kind == kind {
            // The same authorities, read once more: the transfers that follow have these.
            sessions[session]?.kind = kind
            return entry.client
        }
        let equal = sessions.values.first { $0.kind == kind }
        let client = if let equal { equal.client } else { try make(kind) }
        sessions[session] = Entry(kind: kind, client: client)
        return client
    }

    private func make(_ kind: Kind) throws(HTTPError) -> HTTPClient {
        var configuration = shared.configuration
        configuration.proxies = kind.proxies
        configuration.certificateAuthorities = kind.authorities
        return try HTTPClient(configuration: configuration)
    }

    /// A session is gone, and with it its transfers.
    func forget(session: Int64) { sessions[session] = nil }
}
