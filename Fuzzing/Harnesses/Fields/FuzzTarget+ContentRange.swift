@testable import FerryHTTP
@testable import FerryTransfer

extension FuzzTarget {
    /// A range lies within its total, and a part is only taken for what it says it is.
    static let contentRange = FuzzTarget("content-range", upTo: 96) { input throws(Finding) in
        var input = input
        let (held, total) = (input.takeInteger(), input.takeInteger())
        let value = input.text
        guard let content = ContentRange(value) else { return }
        try check(content)
        let written =
            "bytes \(text(content.range))/\(content.totalByteCount.map(String.init) ?? "*")"
        try expectSame(ContentRange(written), content, "\(value) written as \(written)")
        try checkResumption(content, value, held: held, total: total)
    }

    private static func check(_ content: ContentRange) throws(Finding) {
        let total = content.totalByteCount
        try expect(total ?? 0 >= 0, "the total is \(total ?? 0)")
        guard let range = content.range else {
            return try expect(total != nil, "nothing is known")
        }
        try expect(!range.isEmpty && range.lowerBound >= 0, "the range is \(range)")
        try expect(range.upperBound <= total ?? .max, "\(range) is not within \(total ?? 0)")
    }

    private static func text(_ range: Range<Int64>?) -> String {
        range.map { "\($0.lowerBound)-\($0.upperBound - 1)" } ?? "*"
    }

    /// What is asked for, and what counts as an answer to it, where the range is taken at its word.
    private static func checkResumption(
        _ content: ContentRange,
        _ value: String,
        held: Int64,
        total: Int64
    ) throws(Finding) {
        let url = "https://example.com/file"
        let head = HTTPResponseHead(
            status: 206,
            fields: [
                HTTPField(name: "Content-Range", value: value),
                HTTPField(name: "ETag", value: "\"tag\""),
            ],
            url: url
        )
        let version = ResourceVersion(
            validator: .strongETag("\"tag\""),
            totalByteCount: total < 0 ? nil : total,
            url: url
        )
        // A file has no negative length.
        let counts = [content.range?.lowerBound, content.range.map { $0.lowerBound + 1 }, held]
        for count in counts.compactMap({ $0 }) where count >= 0 {
            guard let resumption = Resumption(byteCount: count, version: version) else { continue }
            try expect((1...count).contains(resumption.offset), "\(resumption.offset) of \(count)")
            guard case .accepted(let end, let whole) = resumption.answer(head) else { continue }
            try expectSame(content.range?.lowerBound, resumption.offset, "the part's beginning")
            try expect((resumption.offset...whole).contains(end), "the part ends at \(end)")
            try expectSame(whole, version.totalByteCount ?? whole, "the total")
        }
    }
}
