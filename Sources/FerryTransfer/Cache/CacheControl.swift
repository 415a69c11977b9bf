package import FerryHTTP

/// The cache directives of a message (RFC 9111 §5.2).
///
/// Requests and responses share a syntax and most names. The first of two directives with the same name counts
/// (§4.2.1); unknown ones are ignored (§5.2.3). Some are left out on purpose:
/// - `s-maxage`, `proxy-revalidate` and `no-transform` are for shared caches and intermediaries.
/// - `immutable` and `stale-while-revalidate` permit what no cache has to do: to answer a reload without
///   asking, and to answer with a stale response. An app that reloads means it.
/// - `stale-if-error` would hide the server's failure from the app.
package struct CacheControl: Hashable, Sendable {
    /// How stale a response may be for a request.
    package enum AcceptedStaleness: Hashable, Sendable {
        /// However stale it is.
        case any
        /// Stale for as many seconds.
        case seconds(Int64)
    }

    /// The arguments by name in lower case; empty for a directive without.
    private let arguments: [String: String]

    /// Reads the fields of a message; several fields form one list.
    package init(fields: [HTTPField]) {
        var arguments: [String: String] = [:]
        for value in fields.values(named: "Cache-Control") {
            for directive in Self.directives(in: value) where arguments[directive.name] == nil {
                arguments[directive.name] = directive.argument
            }
        }
        self.arguments = arguments
    }

    /// Whether the message says nothing at all.
    var isEmpty: Bool { arguments.isEmpty }

    /// The age up to which a response is fresh, or is acceptable to a request.
    ///
    /// An invalid number counts as 0, so that nothing is used longer than intended (§4.2.1).
    var maxAge: Int64? {
        arguments["max-age"].map { Int64(deltaSeconds: $0) ?? 0 }
    }

    /// How long a response has to stay fresh to be acceptable to a request.
    var minFresh: Int64? {
        arguments["min-fresh"].map { Int64(deltaSeconds: $0) ?? .max }
    }

    /// How stale a response may be to be acceptable to a request; `nil` for not at all.
    var maxStale: AcceptedStaleness? {
        guard let argument = arguments["max-stale"] else { return nil }
        if argument.isEmpty { return .any }
        return Int64(deltaSeconds: argument).map { .seconds($0) }
    }

    /// Whether a stored response must be validated before it is used.
    ///
    /// With an argument a response restricts only the fields that it names, but a cache may treat
    /// both forms alike (§5.2.2.4).
    var isNoCache: Bool { arguments["no-cache"] != nil }

    /// Whether nothing of the exchange may be stored.
    package var isNoStore: Bool { arguments["no-store"] != nil }

    /// Whether a response must not be used once it is stale, whatever a request accepts.
    var isMustRevalidate: Bool { arguments["must-revalidate"] != nil }

    /// Whether only caches that know the response's status code may store it.
    var isMustUnderstand: Bool { arguments["must-understand"] != nil }

    /// Whether a request is to be answered from the cache or not at all.
    var isOnlyIfCached: Bool { arguments["only-if-cached"] != nil }

    /// Whether a response may be stored though its status code alone would not allow it.
    ///
    /// `private` says the same to a cache that belongs to one user (RFC 9111 §3).
    var isExplicitlyCacheable: Bool {
        arguments["public"] != nil || arguments["private"] != nil
    }
}

extension CacheControl {
    /// One directive of a list.
    struct Directive: Hashable {
        /// In lower case.
        var name: String
        /// Without quotes; empty where there is none.
        var argument: String
    }

    /// The directives of a field's value.
    static func directives(in value: String) -> [Directive] {
        members(of: value).compactMap { member in
            let parts = member.utf8.split(
                separator: UInt8(ascii: "="),
                maxSplits: 1,
                omittingEmptySubsequences: false
            ).map { Substring($0) }
            let name = parts[0].trimmingSpaces.lowercased()
            guard !name.isEmpty else { return nil }
            let argument = parts.count == 2 ? unquoted(parts[1].trimmingSpaces) : ""
            return Directive(name: name, argument: argument)
        }
    }

    /// Splits a list at the commas that are not within quotes.
    ///
    /// If a quote is never closed, quotes are ignored: otherwise a mistyped extension could hide a `no-store`.
    /// Bytes are compared, not characters: a comma with an accent is another character.
    private static func members(of value: String) -> [Substring] {
        var members: [Substring] = []
        var rest = value[...]
        var isQuoted = false
        var isEscaped = false
        for index in value.utf8.indices {
            let byte = value.utf8[index]
            if byte == UInt8(ascii: ","), !isQuoted {
                members.append(rest[..<index])
                rest = value[value.utf8.index(after: index)...]
                continue
            }
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && byte == UInt8(ascii: "\\") && !isEscaped
        }
        return isQuoted
            ? value.utf8.split(separator: UInt8(ascii: ",")).map { Substring($0) }
            : members + [rest]
    }

    /// An argument may be written as a token or quoted, whatever its directive says (§5.2).
    private static func unquoted(_ argument: Substring) -> String {
        let (bytes, quote) = (argument.utf8, UInt8(ascii: "\""))
        guard bytes.count >= 2, bytes.first == quote, bytes.last == quote else {
            return String(argument)
        }
        var text: [UInt8] = []
        var isEscaped = false
        for byte in bytes.dropFirst().dropLast() {
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            if !isEscaped { text.append(byte) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension Int64 {
    /// Reads a number of seconds as caches write it (`delta-seconds`, RFC 9111 §1.2.2).
    ///
    /// A number above 2³¹, with any number of digits, counts as 2³¹. `nil` for a text that is not only digits.
    init?(deltaSeconds text: some StringProtocol) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        self = Swift.min(Int64(text) ?? Self.greatestDeltaSeconds, Self.greatestDeltaSeconds)
    }

    private static let greatestDeltaSeconds: Int64 = 1 << 31
}
