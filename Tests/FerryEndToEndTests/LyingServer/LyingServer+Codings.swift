import FerryTestSupport

extension LyingServer {
    /// What can be wrong with a body that is packed (RFC 9110 §8.4).
    static let packedBodies = codedOnce + codedOtherwise + brokenCodings

    private static let codedOnce: [LyingServer] =
        [FixtureCoding.deflate, .br, .zstd].map { coding in
            .lie(
                "\(coding.rawValue) though identity was asked for",
                .coded(old, by: coding),
                gets: .file(old)
            )
        }

    private static let codedOtherwise: [LyingServer] = [
        .lie("identity", packed(old.bytes, "identity"), gets: .file(old)),
        .lie("identity twice", packed(old.bytes, "identity, identity"), gets: .file(old)),
        .lie("an empty Content-Encoding", packed(old.bytes, ""), gets: .file(old)),
        .lie("gzip under its old name", packed(gzip, "x-gzip"), gets: .file(old)),
        .lie("gzip in capitals", packed(gzip, "GZIP"), gets: .file(old)),
        .lie("gzip in gzip", packed(FixtureGzip.encode(gzip), "gzip, gzip"), gets: .file(old)),
        .lie("gzip in chunks", .gzip(old).chunked(), gets: .file(old)),
        .lie(
            "the deflate of those who have not read the standard",
            packed(Array(gzip.dropFirst(10).dropLast(8)), "deflate"),
            gets: .file(old)
        ),
        .lie("nothing in gzip", packed(FixtureGzip.encode([]), "gzip"), gets: .file(.empty)),
        // Nothing is known about the bytes, which are the app's.
        .lie(
            "gzip in a coding that does not exist",
            packed(gzip, "gzip, x-secret"),
            gets: .file(.bytes(gzip))
        ),
        .lie(
            "gzip that is not announced",
            .content(.bytes(gzip)),
            gets: .file(.bytes(gzip))
        ),
    ]

    private static let brokenCodings = broken.map { lie in
        LyingServer.lie(
            lie.behaviour,
            packed(lie.bytes, lie.coding),
            gets: .error(.cannotDecodeContentData)
        )
    }

    private static let broken: [(behaviour: String, bytes: [UInt8], coding: String)] =
        [
            ("gzip with another checksum", changing(gzip, at: gzip.count - 8), "gzip"),
            ("gzip with another length", changing(gzip, at: gzip.count - 1), "gzip"),
            ("gzip with a broken head", changing(gzip, at: 2), "gzip"),
            ("gzip with a broken block", changing(gzip, at: 12), "gzip"),
            ("deflate that is none", old.bytes, "deflate"),
            ("br that is none", [UInt8](repeating: 0xFF, count: 1000), "br"),
            ("zstd that is none", old.bytes, "zstd"),
            ("gzip announced twice, done once", gzip, "gzip, gzip"),
            (
                "twenty codings", gzip,
                [String](repeating: "gzip", count: 20).joined(separator: ", ")
            ),
        ]

    private static let gzip = FixtureGzip.encode(old.bytes)

    private static func packed(_ bytes: [UInt8], _ coding: String) -> FixtureAnswer {
        .content(.bytes(bytes)).with(fields: [("Content-Encoding", coding)])
    }

    private static func changing(_ bytes: [UInt8], at index: Int) -> [UInt8] {
        var bytes = bytes
        bytes[index] ^= 0xFF
        return bytes
    }
}
