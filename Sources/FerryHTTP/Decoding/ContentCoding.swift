/// A coding of bodies that is undone here (RFC 9110 §8.4.1).
package enum ContentCoding: String, Hashable, Sendable, CaseIterable {
    /// RFC 1952.
    case gzip
    /// RFC 1950; or RFC 1951 alone, as some servers have it.
    case deflate
    /// RFC 7932.
    case brotli = "br"
    /// RFC 8878, with the windows of RFC 9659.
    case zstd

    /// The value of `Accept-Encoding` that asks for any of them.
    package static let allNames = allCases.map(\.rawValue).joined(separator: ", ")

    /// How many may be put one around the other; as many as in libcurl.
    static let maximumCount = 5

    /// Reads a name, in any case; `nil` for a coding that is not known.
    init?(name: String) {
        let name = name.lowercased()
        // RFC 9110 §8.4.1.3.
        self.init(rawValue: name == "x-gzip" ? "gzip" : name)
    }
}

/// The codings that a request asks for (RFC 9110 §12.5.3).
struct AcceptedCodings: OptionSet, Hashable {
    private static let all = ContentCoding.allCases.reduce(into: AcceptedCodings()) {
        $0.insert(AcceptedCodings($1))
    }

    let rawValue: Int

    init(rawValue: Int) { self.rawValue = rawValue }

    private init(_ coding: ContentCoding) {
        rawValue =
            switch coding {
            case .gzip: 1
            case .deflate: 2
            case .brotli: 4
            case .zstd: 8
            }
    }

    /// Reads the fields of a request.
    init(_ fields: [HTTPField]) {
        let values = fields.values(named: "Accept-Encoding")
        // Most requests have the value that sessions add, or none.
        guard values != [ContentCoding.allNames] else {
            self = Self.all
            return
        }
        var (named, refused) = (AcceptedCodings(), AcceptedCodings())
        var acceptsOthers = false
        for element in values.flatMap(\.listElements) {
            let parts = element.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let name = parts.first else { continue }
            let isRefused = parts.dropFirst().contains(where: Self.isZeroWeight)
            if name == "*" {
                acceptsOthers = !isRefused
            } else if let coding = ContentCoding(name: name) {
                if isRefused {
                    refused.insert(AcceptedCodings(coding))
                } else {
                    named.insert(AcceptedCodings(coding))
                }
            }
        }
        self = (acceptsOthers ? Self.all : named).subtracting(refused)
    }

    /// Whether all of these were asked for.
    func contain(_ others: [ContentCoding]) -> Bool {
        others.allSatisfy { contains(AcceptedCodings($0)) }
    }

    /// Whether a parameter is `q=0`, with any number of decimals.
    private static func isZeroWeight(_ parameter: String) -> Bool {
        parameter.lowercased().hasPrefix("q=") && Double(parameter.dropFirst(2)) == 0
    }
}

extension HTTPResponseHead {
    /// The names of the codings of the body, in the order in which they were applied, in lower case; none for a body as it
    /// is.
    package var contentCodings: [String] {
        // Most responses have no such field.
        guard fields.contains(where: { $0.isNamed("Content-Encoding") }) else { return [] }
        return fields.values(named: "Content-Encoding")
            .flatMap { $0.split(whereSeparator: { ", \t".contains($0) }) }
            .map { $0.lowercased() }
            // libcurl takes these two for the same.
            .filter { $0 != "identity" && $0 != "none" }
            .map { $0 == "x-gzip" ? "gzip" : $0 }
    }

    /// Whether the body was sent in a coding, so that its bytes are not those of the resource.
    package var hasContentCoding: Bool { !contentCodings.isEmpty }

    /// The codings of the body if it has any and all of them are known; otherwise `nil`.
    package var knownContentCodings: [ContentCoding]? {
        let names = contentCodings
        guard !names.isEmpty else { return nil }
        let codings = names.compactMap { ContentCoding(name: $0) }
        return codings.count == names.count ? codings : nil
    }

    /// Whether the body has a transfer coding beside the chunks that are its framing (RFC 9112 §6.1).
    var hasTransferCoding: Bool {
        fields.values(named: "Transfer-Encoding").flatMap(\.listElements)
            .contains { !["chunked", "identity"].contains($0.lowercased()) }
    }
}
