package import FerryHTTP

/// The servers that the app has said to trust.
///
/// An app is asked about each connection on Apple's systems, where connections are made more rarely: here the
/// answer is good for the same certificates of the same host, as long as the session lives.
package struct ApprovedServers: Hashable, Sendable {
    private var certificates: [String: [[[UInt8]]]] = [:]
    /// How many chains of a host are kept: it may have several machines, with certificates of several kinds.
    private static let limit = 16

    /// Knows of none.
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
