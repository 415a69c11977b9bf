package import FerryHTTP

/// The fields of a request that decided which representation the server chose (RFC 9111 §4.1).
package struct SelectingFields: Hashable, Sendable, Codable {
    /// The values that were sent, by name in lower case; empty for a field that was not sent.
    private let values: [String: String]

    /// The fields that a response names in `Vary`, as its request had them.
    ///
    /// `Authorization` always belongs to them. A private cache may pass one login's response to
    /// another (RFC 9111 §3.5 binds shared caches only), since it belongs to one user; a process on
    /// a server speaks for many.
    ///
    /// `nil` for `Vary: *`, which no other request matches.
    package init?(head: HTTPResponseHead, requestFields: [HTTPField]) {
        let names = head.fields.values(named: "Vary").flatMap(\.listElements)
            .map { $0.lowercased() }
        guard !names.contains("*") else { return nil }
        values = Dictionary(
            (names + ["authorization"]).map { ($0, Self.value(of: $0, in: requestFields)) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// Whether another request would have been answered by the same representation.
    package func match(_ requestFields: [HTTPField]) -> Bool {
        values.allSatisfy { $0.value == Self.value(of: $0.key, in: requestFields) }
    }

    /// Whether a value among them says who asked, so that it is to be written nowhere.
    package var haveSecrets: Bool {
        values.contains { !$0.value.isEmpty && !Self.harmlessNames.contains($0.key) }
    }

    /// Several fields of a name are one list; white space around its members has no meaning.
    private static func value(of name: String, in fields: [HTTPField]) -> String {
        fields.values(named: name).flatMap(\.listElements).joined(separator: ",")
    }

    private static let harmlessNames: Set = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "origin", "referer",
        "user-agent",
    ]
}
