package import FerryHTTP

/// The fields of a request that decided which representation the server chose (RFC 9111 §4.1).
package struct SelectingFields: Hashable, Sendable, Codable {
    /// The values that were sent, by name in lower case; empty for a field that was not sent.
    private let values: [String: String]

    /// Records the request fields that a response names in `Vary`.
    ///
    /// `Authorization` is always included, as the app has set it. A private cache may answer one login with another's
    /// response (RFC 9111 §3.5 binds shared caches only), since it belongs to one user; a process on a server acts for
    /// many.
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

    /// Returns whether another request would have received the same representation.
    package func match(_ requestFields: [HTTPField]) -> Bool {
        values.allSatisfy { $0.value == Self.value(of: $0.key, in: requestFields) }
    }

    /// Whether a value may identify the client, so that it must not be stored on disk.
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
