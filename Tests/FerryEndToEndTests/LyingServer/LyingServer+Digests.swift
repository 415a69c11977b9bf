import FerryHTTP
import FerryTestSupport
import FoundationEssentials

extension LyingServer {
    /// What can be wrong with the digests of an answer (RFC 9530).
    static let digests = wrongDigests + unreadableDigests + digestsOfOtherThings

    // MARK: - Digests of other bytes

    private static let wrongDigests: [LyingServer] =
        [
            ("a Repr-Digest of other bytes", [("Repr-Digest", sha256(of: new))]),
            ("a Content-Digest of other bytes", [("Content-Digest", sha256(of: new))]),
            (
                "a right Content-Digest beside a wrong Repr-Digest",
                [("Content-Digest", sha256(of: old)), ("Repr-Digest", sha256(of: new))]
            ),
            (
                "a right Repr-Digest beside a wrong Content-Digest",
                [("Content-Digest", sha256(of: new)), ("Repr-Digest", sha256(of: old))]
            ),
            // RFC 9651 §3.2: the last one counts.
            (
                "two digests by one function, the last one wrong",
                [("Repr-Digest", sha256(of: old)), ("Repr-Digest", sha256(of: new))]
            ),
            (
                "a wrong digest behind one by a function that nobody knows",
                [("Repr-Digest", "x-best=:AAAA:, " + sha256(of: new))]
            ),
            (
                "a wrong digest by the stronger function, a right one by the weaker",
                [("Repr-Digest", sha512(of: new) + ", " + sha256(of: old))]
            ),
        ].map { behaviour, fields in
            .lie(behaviour, .oldFile.with(fields: fields), gets: .error(.cannotDecodeContentData))
        } + [
            .lie(
                "a page for an error with a wrong Content-Digest",
                .status(404, fields: [("Content-Digest", sha256(of: new))], body: "gone"),
                gets: .error(.cannotDecodeContentData)
            ),
            .lie(
                "nothing, with the digest of something",
                .content(.empty).with(fields: [("Repr-Digest", sha256(of: old))]),
                gets: .error(.cannotDecodeContentData)
            ),
            .lie(
                "a wrong digest of a body in gzip",
                .gzip(old).with(fields: [("Repr-Digest", sha256(of: old))]),
                gets: .error(.cannotDecodeContentData)
            ),
            .lie(
                "a wrong digest of a body in chunks",
                .oldFile.with(fields: [("Repr-Digest", sha256(of: new))]).chunked(),
                gets: .error(.cannotDecodeContentData)
            ),
        ]

    // MARK: - Digests that say nothing

    private static let unreadableDigests: [LyingServer] = [
        ("a digest by a function that nobody knows", [("Repr-Digest", "x-best=:AAAA:")]),
        ("a digest that is too short", [("Repr-Digest", "sha-256=:AAAA:")]),
        ("a digest in a string", [("Repr-Digest", "sha-256=\"AAAA\"")]),
        ("a digest in hexadecimal digits", [("Repr-Digest", "sha-256=:0123456789abcdefg!:")]),
        ("a digest without its end", [("Repr-Digest", String(sha256(of: new).dropLast()))]),
        ("an empty Repr-Digest", [("Repr-Digest", "")]),
        ("a digest with rubbish behind it", [("Repr-Digest", sha256(of: new) + " ?!")]),
        ("a digest of bytes that are none", [("Repr-Digest", "sha-256=::")]),
        // RFC 9530 replaces the field.
        ("a wrong digest in the field of old", [("Digest", "SHA-256=AAAA")]),
        (
            "two digests by one function, the first one wrong",
            [("Repr-Digest", sha256(of: new) + ", " + sha256(of: old))]
        ),
        (
            "a right digest by the stronger function, a wrong one by the weaker",
            [("Repr-Digest", sha512(of: old) + ", " + sha256(of: new))]
        ),
    ].map { behaviour, fields in
        .lie(behaviour, .oldFile.with(fields: fields), gets: .file(old))
    }

    private static let digestsOfOtherThings: [LyingServer] = [
        // RFC 9530 §2: it is of the coded bytes.
        .lie(
            "the digest of a body in gzip",
            .gzip(old).with(fields: [("Repr-Digest", sha256(of: .bytes(gzip)))]),
            gets: .file(.bytes(gzip))
        ),
        .lie(
            "a wrong digest behind the body",
            .oldFile.chunked(trailers: [("Repr-Digest", sha256(of: new))]),
            gets: .file(old)
        ),
        .lie(
            "a page for an error with a wrong Repr-Digest",
            .status(404, fields: [("Repr-Digest", sha256(of: new))], body: "gone"),
            gets: .file(.text("gone"), status: 404)
        ),
        .lie(
            "a redirect with a wrong digest",
            .redirect(to: "/elsewhere").with(fields: [("Content-Digest", sha256(of: new))]),
            elsewhere: .oldFile,
            gets: .file(old)
        ),
    ]

    // MARK: - Digests of parts

    /// What can be wrong with the digests of the answer to a request for the rest.
    static let digestsOfParts: [LyingServer] = [
        .continuation(
            "206 with the digest of the whole",
            .oldFile.with(fields: [("Repr-Digest", sha256(of: old))]),
            gets: .file(old, status: 206),
            asks: [rest]
        ),
        .continuation(
            "206 with the digest of its part",
            .oldFile.with(fields: [("Content-Digest", sha256(of: restOfOld))]),
            gets: .file(old, status: 206),
            asks: [rest]
        ),
        .continuation(
            "206 with the digest of another whole",
            .oldFile.with(fields: [("Repr-Digest", sha256(of: new))]),
            gets: .file(old),
            asks: [rest, whole]
        ),
        .continuation(
            "206 with the digest of the whole for that of its part",
            .oldFile.with(fields: [("Content-Digest", sha256(of: old))]),
            gets: .file(old),
            asks: [rest, whole]
        ),
        .continuation(
            "206 with the digest of its part for that of the whole",
            .oldFile.with(fields: [("Repr-Digest", sha256(of: restOfOld))]),
            gets: .file(old),
            asks: [rest, whole]
        ),
        .continuation(
            "206 with other bytes under the same ETag, which the digest tells",
            .part(of: new, [("ETag", "\"v1\""), ("Repr-Digest", sha256(of: old))]),
            gets: .file(old),
            asks: [rest, whole]
        ),
        .continuation(
            "wrong digests without end",
            FixtureAnswer.oldFile.with(fields: [("Repr-Digest", sha256(of: new))]),
            FixtureAnswer.oldFile.with(fields: [("Repr-Digest", sha256(of: new))]),
            gets: .error(.cannotDecodeContentData),
            asks: [rest, whole]
        ),
    ]

    private static let restOfOld = FixtureContent.bytes(
        old.bytes(in: cutByteCount..<old.byteCount)
    )

    private static func sha256(of content: FixtureContent) -> String {
        member("sha-256", .sha256, of: content)
    }

    private static func sha512(of content: FixtureContent) -> String {
        member("sha-512", .sha512, of: content)
    }

    /// A member of the dictionary that the fields are.
    private static func member(
        _ name: String,
        _ function: MessageDigest,
        of content: FixtureContent
    ) -> String {
        let value = try? function.value(of: content.bytes)
        return "\(name)=:\(Data(value ?? []).base64EncodedString()):"
    }
}

extension MessageDigest {
    fileprivate func value(of bytes: [UInt8]) throws -> [UInt8] {
        var computation = try MessageDigestComputation(self)
        bytes.withUnsafeBytes { computation.update($0) }
        return try computation.finish()
    }
}
