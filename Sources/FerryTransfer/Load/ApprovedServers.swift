package import FerryHTTP

/// The servers that the app has said to trust.
///
/// An app is asked about each connection on Apple's systems, where connections are made more rarely: here the
/// answer is good for the same certificates of the same host, as long as the session lives.
package struct ApprovedServers: Hashable, Sendable {
    private var certificates: [String: [[UInt8]]] = [:]

    /// Knows of none.
    package init() {}

    /// Approves a server's certificates.
    package mutating func approve(_ trust: HTTPServerTrust) {
        certificates[trust.host] = trust.certificates
    }

    /// Whether these certificates of the server were approved.
    package func contains(_ trust: HTTPServerTrust) -> Bool {
        certificates[trust.host] == trust.certificates
    }
}
