import Glibc

/// The address of a proxy as curl reads it, `[scheme://][user:password@]host[:port]`.
package enum ProxyAddress {
    /// The schemes that libcurl knows for a proxy.
    package static let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

    /// Tells why an address cannot be used; `nil` if it can.
    ///
    /// It is checked before libcurl reads it, which shows a wrong one with its password.
    ///
    /// - Parameter address: The address.
    /// - Returns: The reason, for people; it contains nothing of the address.
    package static func fault(in address: String) -> String? {
        guard !address.isEmpty else { return "it is empty" }
        guard address.utf8.count <= 4096 else { return "it has more than 4096 bytes" }
        guard address.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            return "it contains a space or a control character"
        }
        var rest = address[...]
        if let scheme = rest.firstRange(of: "://"),
            rest[..<scheme.lowerBound].allSatisfy(isOfScheme)
        {
            guard schemes.contains(rest[..<scheme.lowerBound].lowercased()) else {
                return "its scheme is not one of \(schemes.joined(separator: ", "))"
            }
            rest = rest[scheme.upperBound...]
        }
        let authority = rest.prefix { !"/?#".contains($0) }
        guard let at = authority.lastIndex(of: "@") else { return fault(inHost: authority) }
        guard !authority[..<at].contains("%00") else { return "its user or password contains %00" }
        return fault(inHost: authority[authority.index(after: at)...])
    }

    private static func isOfScheme(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "+-.".contains(character))
    }

    private static func fault(inHost text: Substring) -> String? {
        guard text.hasPrefix("[") else {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let host = parts.first, !host.isEmpty else { return "it has no host" }
            guard host.unicodeScalars.allSatisfy(isOfHost) else {
                return "its host contains a character that no host has"
            }
            if parts.count == 2, parts[1].contains(":") {
                return
                    "its port is not a number from 1 to 65535, or its IPv6 address has no brackets"
            }
            return parts.count == 2 ? fault(inPort: parts[1]) : nil
        }
        guard let end = text.firstIndex(of: "]") else {
            return "the bracket of its IPv6 address is not closed"
        }
        let address = text[text.index(after: text.startIndex)..<end]
        guard isIPv6(String(address.prefix { $0 != "%" })) else {
            return "what is in its brackets is not an IPv6 address"
        }
        let port = text[text.index(after: end)...]
        guard !port.isEmpty else { return nil }
        guard port.hasPrefix(":") else { return "something other than a port follows its brackets" }
        return fault(inPort: port.dropFirst())
    }

    /// An empty port is none.
    private static func fault(inPort text: Substring) -> String? {
        let isNumber = text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        guard text.isEmpty || isNumber && UInt16(text).map({ $0 > 0 }) == true else {
            return "its port is not a number from 1 to 65535"
        }
        return nil
    }

    /// Those that curl refuses, and no others: a name in any script is converted later.
    private static func isOfHost(_ scalar: Unicode.Scalar) -> Bool {
        !"\\{}[]$'\"^`*<>=;,+&()!%|".unicodeScalars.contains(scalar)
    }

    private static func isIPv6(_ text: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET6, text, &address) == 1
    }
}
