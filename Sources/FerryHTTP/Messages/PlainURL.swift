/// An `http(s)` URL of plain characters only, as nearly all are: it is read in a tenth of the time that a parser takes.
///
/// Any parser reads it the same, but for a host of numbers such as `1`, which libcurl makes an address of.
package struct PlainURL: Sendable {
    /// Whether the scheme is `https`.
    package let isSecure: Bool
    /// The host's name or IPv4 address, in lower case.
    package let host: String
    /// The port, if the URL has one.
    package let port: Int?
    /// The path, without the query.
    package let path: String

    /// Reads a URL; `nil` if a parser has to.
    package init?(_ url: String) {
        var url = url
        guard let plain = url.withUTF8(Self.init(text:)) else { return nil }
        self = plain
    }

    private init?(text: UnsafeBufferPointer<UInt8>) {
        guard text.count <= 2048 else { return nil }
        isSecure = text.starts(with: "https://".utf8)
        guard isSecure || text.starts(with: "http://".utf8) else { return nil }
        let rest = text[(isSecure ? 8 : 7)...]
        guard let end = rest.firstIndex(of: UInt8(ascii: "/")),
            rest[end...].allSatisfy(Self.isPlainInPath)
        else { return nil }
        let authority = rest[..<end]
        let colon = authority.firstIndex(of: UInt8(ascii: ":"))
        let host = authority[..<(colon ?? end)]
        guard !host.isEmpty, host.allSatisfy(Self.isPlainInHost) else { return nil }
        if let colon {
            guard let port = Self.plainPort(authority[(colon + 1)...]) else { return nil }
            self.port = port
        } else {
            port = nil
        }
        self.host = String(decoding: host, as: UTF8.self)
        path = String(decoding: rest[end...].prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
    }

    /// Parses a port without leading zeros.
    private static func plainPort(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        guard (1...5).contains(text.count), text.first != UInt8(ascii: "0") else { return nil }
        var port = 0
        for byte in text {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
            port = port * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return port <= UInt16.max ? port : nil
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
}
