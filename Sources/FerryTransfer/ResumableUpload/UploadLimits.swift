/// A server's limits for an upload (`Upload-Limit`).
package struct UploadLimits: Hashable, Sendable, Codable {
    /// The most bytes of one part.
    package var greatestAppend: Int64?

    /// No limits.
    package init() {}

    /// Reads a field: a dictionary of integers (RFC 9651 §3.2); members that are not understood set no limit.
    ///
    /// The server enforces the limits of the whole, as it knows what it has promised. The minimum size of a
    /// part does not apply to the last one, and other parts are as large as the server allows.
    init(_ value: String) {
        for member in value.split(separator: ",") {
            let halves = member.split(separator: "=", maxSplits: 1)
            guard halves.count == 2,
                String(halves[0]).trimmingSpaces.lowercased() == "max-append-size",
                let limit = Int64(structuredInteger: String(halves[1])), limit > 0
            else { continue }
            greatestAppend = limit
        }
    }

    /// Reads stored limits, and refuses those that no upload could satisfy.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        greatestAppend = try container.decodeIfPresent(Int64.self, forKey: .greatestAppend)
        guard greatestAppend ?? 1 > 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .greatestAppend,
                in: container,
                debugDescription: "parts of \(greatestAppend ?? 0) bytes"
            )
        }
    }
}
