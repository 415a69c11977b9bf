import FerryHTTP
import FerryStore
import FerrySystem

/// The HTTP clients that carry the transfers of all sessions.
///
/// A client reuses its connections for all of its requests. There is therefore one client for each set of connection
/// settings: sessions with the same proxies and the same authorities share a client and its connections, and sessions
/// with the default settings share another. libcurl distinguishes some settings itself, but neither the passwords of
/// proxies nor the contents of files.
///
/// An application may also approve a server that no other application trusts, or identify itself to one: a session that
/// decides about certificates has its own client.
@LoopActor
final class TransferClients {
    /// The settings that the connections of a client share.
    private struct Kind: Hashable {
        var proxies: HTTPProxyList
        var authorities: TrustedAuthorities?
        var route: HTTPRoute
        var tls: HTTPTLSRequirements
        /// The session, if it decides about certificates.
        var session: SessionID?
    }

    private struct Entry {
        var kind: Kind
        let client: HTTPClient
    }

    private var shared: HTTPClient
    private var sessions: [SessionID: Entry] = [:]

    /// The size from which a body is spliced unless something else is said.
    private let standardSplicedBytes: Int64

    init(sharing client: HTTPClient) {
        shared = client
        standardSplicedBytes = client.configuration.minimumSplicedBytes
    }

    /// Changes the size from which a body is spliced, for the transfers that start from now on.
    ///
    /// - Parameter byteCount: The size; `nil` for that of the first client.
    /// - Throws: ``HTTPError/Code/outOfMemory`` when libcurl cannot be set up.
    func splice(from byteCount: Int64?) throws(HTTPError) {
        let byteCount = byteCount ?? standardSplicedBytes
        guard shared.configuration.minimumSplicedBytes != byteCount else { return }
        var configuration = shared.configuration
        configuration.minimumSplicedBytes = byteCount
        shared = try HTTPClient(configuration: configuration)
        sessions = [:]
    }

    /// Returns the client for a session's next transfer.
    ///
    /// A client that no session uses any longer ends with its last transfer.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - decides: Whether its application may decide about certificates.
    ///   - setup: The settings of the connections.
    /// - Returns: The client.
    /// - Throws: ``HTTPError/Code/outOfMemory`` when libcurl cannot be set up.
    func client(
        for session: SessionID,
        decides: Bool,
        _ setup: ConnectionSetup
    ) throws(HTTPError) -> HTTPClient {
        let isPlain =
            setup.proxies == .direct && setup.authorities == nil && setup.route == HTTPRoute()
            && setup.tls == HTTPTLSRequirements()
        guard decides || !isPlain else {
            sessions[session] = nil
            return shared
        }
        let kind = Kind(
            proxies: setup.proxies,
            authorities: setup.authorities,
            route: setup.route,
            tls: setup.tls,
            session: decides ? session : nil
        )
        if let entry = sessions[session], entry.kind == kind {
            // The same authorities, read again: later transfers use these.
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
        configuration.route = kind.route
        configuration.tls = kind.tls
        return try HTTPClient(configuration: configuration)
    }

    /// Ends the connections that are kept for the next transfers.
    func endIdleConnections() {
        // Sessions with equal settings have the same client, for which it changes nothing to be asked again.
        for client in [shared] + sessions.values.map(\.client) { client.endIdleConnections() }
    }

    /// Forgets what a session's transfers connect with; transfers under way keep it.
    func forget(session: SessionID) { sessions[session] = nil }
}
