import FoundationEssentials

/// The queue that a task waits in: the host and port that its request goes to.
enum HostName {
    /// The host and port of an http or https address, or `nil` for any other.
    static func of(_ address: String) -> String? { plain(address) ?? parsed(address) }

    /// Whether a host, with its port, is this machine.
    static func isLocal(_ host: String) -> Bool {
        host.hasPrefix("127.") || host.hasPrefix("localhost:") || host.hasPrefix("[::1]:")
    }

    /// The host and port of an address that consists of nothing but plain characters, as nearly all do;
    /// it takes a tenth of the time.
    private static func plain(_ address: String) -> String? {
        var address = address
        return address.withUTF8 { text -> String? in
            let isSecure = text.starts(with: "https://".utf8)
            guard isSecure || text.starts(with: "http://".utf8) else { return nil }
            let rest = text[(isSecure ? 8 : 7)...]
            guard let end = rest.firstIndex(of: UInt8(ascii: "/")),
                rest[end...].allSatisfy(isPlainInPath)
            else { return nil }
            let authority = rest[..<end]
            let colon = authority.firstIndex(of: UInt8(ascii: ":"))
            let host = authority[..<(colon ?? end)]
            guard !host.isEmpty, host.allSatisfy(isPlainInHost) else { return nil }
            let text = String(decoding: authority, as: UTF8.self)
            guard let colon else { return text + (isSecure ? ":443" : ":80") }
            return isPlainPort(authority[(colon + 1)...]) ? text : nil
        }
    }

    private static func isPlainPort(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        (1...5).contains(text.count) && text.first != UInt8(ascii: "0")
            && text.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    }

    private static func isPlainInHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func isPlainInPath(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "~"),
            UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "="), UInt8(ascii: "&"):
            true
        default: isPlainInHost(byte)
        }
    }

    private static func parsed(_ address: String) -> String? {
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
