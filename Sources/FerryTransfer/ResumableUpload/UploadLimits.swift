/// What a server wants an upload to keep to (`Upload-Limit`).
package struct UploadLimits: Hashable, Sendable, Codable {
    /// The most bytes of one part.
    package var greatestAppend: Int64?

    /// No limits.
    package init() {}

    /// Reads a field: a dictionary of integers (RFC 9651 §3.2); what is not understood sets no limit.
    ///
    /// The limits of the whole are the server's to enforce, which knows what it has promised; the least size
    /// of a part does not concern the last one, and other parts are as large as the server allows.
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

    /// Reads what was kept of limits, and refuses those that no upload could keep to.
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
