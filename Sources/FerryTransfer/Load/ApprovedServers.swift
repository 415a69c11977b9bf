package import FerryHTTP

/// The servers that the app has said to trust.
///
/// On Apple's systems an app is asked about each connection, but connections are made more rarely: here the
/// answer applies to the same certificates of the same host for the lifetime of the session.
package struct ApprovedServers: Hashable, Sendable {
    private var certificates: [String: [[[UInt8]]]] = [:]
    /// The number of chains kept per host, which may have several machines and kinds of certificates.
    private static let limit = 16

    /// Makes an empty set.
    package init() {}

    /// Approves a server's certificates.
    package mutating func approve(_ trust: HTTPServerTrust) {
        guard !contains(trust) else { return }
        let earlier = certificates[trust.host, default: []].suffix(Self.limit - 1)
        certificates[trust.host] = earlier + [trust.certificates]
    }

    /// Whether these certificates of the server were approved.
    package func contains(_ trust: HTTPServerTrust) -> Bool {
        certificates[trust.host]?.contains(trust.certificates) ?? false
    }
}
