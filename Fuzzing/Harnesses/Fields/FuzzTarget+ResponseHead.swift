@testable import FerryHTTP
@testable import FerryTransfer

extension FuzzTarget {
    /// A head is read the same by all of its readers, and is no more than what came.
    static let responseHead = FuzzTarget("response-head", upTo: 512) { input throws(Finding) in
        var input = input
        let limit = 64 + Int(input.takeNumber()) * 8
        let bytes = input.rest
        var parser = ResponseHeadParser(url: "https://example.com/file", maximumByteCount: limit)
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let event = (line + [UInt8(ascii: "\n")]).withUnsafeBytes { parser.append($0) }
            switch event {
            case .nothing: break
            case .informational(let head):
                try expect((100..<200).contains(head.status), "\(head.status)")
            case .head(let head):
                try expectSame(parser.completeHead, head, "the head")
                try check(head, limit: limit)
                return
            case .failure: return
            }
        }
    }

    private static func check(_ head: HTTPResponseHead, limit: Int) throws(Finding) {
        try expect((200...999).contains(head.status), "\(head.status)")
        let count = head.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        // What is not UTF-8 needs up to two bytes for one.
        try expect(count <= 2 * limit, "\(count) bytes of at most \(limit)")
        for field in head.fields {
            try expect(!field.name.isEmpty, "a field without a name")
            let text = field.name + field.value
            try expect(!text.utf8.contains(UInt8(ascii: "\n")), "a line break in \(text)")
        }
        try checkLength(head)
        try checkValidator(head)
        try expect(
            head.knownContentCodings.map(\.count) ?? head.contentCodings.count
                == head.contentCodings.count,
            "some codings are known"
        )
        _ = AuthenticationChallenge.all(in: head)
        _ = SelectingFields(head: head, requestFields: head.fields)
        _ = RetryAfter(head: head, now: HTTPDate(secondsSince1970: 0))
    }

    private static func checkLength(_ head: HTTPResponseHead) throws(Finding) {
        guard let length = head.contentLength else { return }
        try expect(length >= 0, "the length is \(length)")
        // Whoever else reads one of the values must come to the same length.
        for value in head.fields.values(named: "Content-Length") {
            for part in value.split(separator: ",") {
                let digits = part.filter { $0 != " " && $0 != "\t" }
                try expectSame(Int64(digits), length, "a length among others")
            }
        }
    }

    private static func checkValidator(_ head: HTTPResponseHead) throws(Finding) {
        guard let validator = Validator(head: head) else { return }
        var decoded = head
        decoded.isDecoded = true
        let isStrong = Validator(head: decoded)?.isStrong ?? false
        try expect(!isStrong, "a decoded body has a strong validator")
        try expect(validator.ifRange?.isEmpty != true, "an empty validator")
        // What is weak proves nothing, not even of itself.
        let mismatch = validator.mismatch(withPart: head)
        try expectSame(mismatch == nil, validator.isStrong, "whether \(validator) is of itself")
        guard case .strongETag(let tag) = validator else { return }
        // Entity tags are compared byte by byte, RFC 9110 §8.8.3.2.
        for value in head.fields.values(named: "ETag") {
            let trimmed = Array(value.utf8).trimmingBlanks
            try expect(trimmed == Array(tag.utf8), "\(value) is not \(tag)")
        }
    }
}

extension [UInt8] {
    fileprivate var trimmingBlanks: [UInt8] {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        guard let last = lastIndex(where: { !isBlank($0) }) else { return [] }
        return Array(self[...last].drop(while: isBlank))
    }
}
