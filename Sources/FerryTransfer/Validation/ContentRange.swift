package import FerryHTTP

/// The part of a resource that a response carries (RFC 9110 §14.4).
package struct ContentRange: Hashable, Sendable {
    /// The bytes that the body holds; `nil` in `bytes */N`, which says that there are none.
    package let range: Range<Int64>?
    /// The length of the whole resource; `nil` where the server does not know it.
    package let totalByteCount: Int64?

    /// Parses a field's value; `nil` when it is malformed, contradicts itself or is not in bytes.
    package init?(_ value: String) {
        let parts = value.trimmingSpaces.split(
            separator: " ",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let halves = parts[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        if halves[1] == "*" {
            totalByteCount = nil
        } else {
            guard let total = Int64(httpDigits: halves[1]) else { return nil }
            totalByteCount = total
        }
        if halves[0] == "*" {
            guard totalByteCount != nil else { return nil }
            range = nil
        } else {
            guard let parsed = Self.range(halves[0]) else { return nil }
            if let totalByteCount, parsed.upperBound > totalByteCount { return nil }
            range = parsed
        }
    }

    /// Parses the field of a response; also `nil` when it is missing or there are several.
    package init?(head: HTTPResponseHead) {
        let values = head.fields.values(named: "Content-Range")
        guard values.count == 1 else { return nil }
        self.init(values[0])
    }

    private static func range(_ text: Substring) -> Range<Int64>? {
        let bounds = text.split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = Int64(httpDigits: bounds[0]),
            let last = Int64(httpDigits: bounds[1]), first <= last, last < .max
        else { return nil }
        return first..<(last + 1)
    }
}

extension Int64 {
    /// A number as HTTP writes it: digits only, without sign, space or separator (`1*DIGIT`).
    ///
    /// `nil` for anything else, and for what exceeds the type.
    init?(httpDigits text: some StringProtocol) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        self.init(text)
    }
}
