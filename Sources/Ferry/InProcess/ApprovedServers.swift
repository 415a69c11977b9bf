import FerryHTTP

/// The servers that the app has said to trust.
///
/// An app is asked about each connection on Apple's systems, where connections are made more rarely: here the
/// answer is good for the same certificates of the same host, as long as the session lives.
struct ApprovedServers: Sendable {
    private var certificates: [String: [[UInt8]]] = [:]

    mutating func approve(_ trust: HTTPServerTrust) {
        certificates[trust.host] = trust.certificates
    }

    func contains(_ trust: HTTPServerTrust) -> Bool {
        certificates[trust.host] == trust.certificates
    }
}
