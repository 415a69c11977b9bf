import FoundationEssentials

/// The queue that a task waits in: the host and port that its request goes to.
enum HostName {
    /// The host and port of an http or https address, or `nil` for any other.
    static func of(_ address: String) -> String? {
        guard
            let url = URL(string: address), let scheme = url.scheme?.lowercased(),
            let host = url.host(percentEncoded: false)?.lowercased(), !host.isEmpty
        else { return nil }
        switch scheme {
        case "http": return "\(host):\(url.port ?? 80)"
        case "https": return "\(host):\(url.port ?? 443)"
        default: return nil
        }
    }
}
