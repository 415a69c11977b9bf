import FerryTestSupport

extension LyingServer {
    /// What can be wrong with a body that is packed though nobody has asked for that (RFC 9110 §8.4): nothing, as it is the
    /// file.
    static let packedBodies =
        packings.map { packing in
            lie(
                "not asked for: " + packing.behaviour,
                packed(packing.bytes, packing.coding),
                gets: .file(.bytes(packing.bytes))
            )
        } + [
            .lie(
                "not asked for: gzip in chunks",
                FixtureAnswer.gzip(old).chunked(),
                gets: .file(.bytes(gzip))
            ),
            .lie("gzip that is not announced", .content(.bytes(gzip)), gets: .file(.bytes(gzip))),
        ]

    /// What can be wrong with a body that is packed as the app has asked for (``askedCodings``).
    static let packedAsAsked =
        packings.map { packing in
            lie(packing.behaviour, packed(packing.bytes, packing.coding), gets: packing.outcome)
        } + [
            .lie("gzip in chunks", FixtureAnswer.gzip(old).chunked(), gets: .file(old)),
            .lie(
                "gzip in a transfer coding",
                .script([
                    .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n"),
                    .send(gzip), .close,
                ]),
                gets: .error(.cannotDecodeContentData)
            ),
        ] + cuts

    /// How an app asks for all codings.
    static let askedCodings = "gzip, deflate, br, zstd"

    /// A body and its coding, and what has to come of it for those who have asked for one.
    private struct Packing: Sendable {
        let behaviour: String
        let bytes: [UInt8]
        let coding: String
        var outcome = Outcome.file(old)
    }

    private static let packings = sound + odd + broken

    private static let sound =
        FixtureCoding.allCases.map { coding in
            Packing(
                behaviour: coding.rawValue,
                bytes: coding.encode(old.bytes),
                coding: coding.rawValue
            )
        } + [
            Packing(behaviour: "identity", bytes: old.bytes, coding: "identity"),
            Packing(behaviour: "identity twice", bytes: old.bytes, coding: "identity, identity"),
            Packing(behaviour: "an empty Content-Encoding", bytes: old.bytes, coding: ""),
            Packing(behaviour: "gzip under its old name", bytes: gzip, coding: "x-gzip"),
            Packing(behaviour: "gzip in capitals", bytes: gzip, coding: "GZIP"),
            Packing(
                behaviour: "gzip in gzip",
                bytes: FixtureGzip.encode(gzip),
                coding: "gzip, gzip"
            ),
            Packing(
                behaviour: "gzip of three members",
                bytes: [old.bytes.prefix(1000), [], old.bytes.dropFirst(1000)]
                    .flatMap { FixtureGzip.encode(Array($0)) },
                coding: "gzip"
            ),
            Packing(
                behaviour: "the deflate of those who have not read the standard",
                bytes: Array(gzip.dropFirst(10).dropLast(8)),
                coding: "deflate"
            ),
        ]

    private static let odd = [
        Packing(
            behaviour: "nothing in gzip",
            bytes: FixtureGzip.encode([]),
            coding: "gzip",
            outcome: .file(.empty)
        ),
        Packing(
            behaviour: "nothing, described as gzip",
            bytes: [],
            coding: "gzip",
            outcome: .file(.empty)
        ),
        // Nothing is known about the bytes, which are the app's.
        Packing(
            behaviour: "gzip in a coding that does not exist",
            bytes: gzip,
            coding: "gzip, x-secret",
            outcome: .file(.bytes(gzip))
        ),
    ]

    private static let broken = [
        ("gzip that is none", old.bytes, "gzip"),
        ("gzip with another checksum", changing(gzip, at: gzip.count - 8), "gzip"),
        ("gzip with another length", changing(gzip, at: gzip.count - 1), "gzip"),
        ("gzip with a broken head", changing(gzip, at: 2), "gzip"),
        ("gzip with a broken block", changing(gzip, at: 12), "gzip"),
        ("gzip with rubbish behind it", gzip + Array("rubbish".utf8), "gzip"),
        ("gzip with zeros behind it", gzip + [0, 0, 0, 0], "gzip"),
        ("gzip with a second member that is none", gzip + changing(gzip, at: 1), "gzip"),
        ("deflate that is none", old.bytes, "deflate"),
        ("br that is none", [UInt8](repeating: 0xFF, count: 1000), "br"),
        ("zstd that is none", old.bytes, "zstd"),
        ("gzip announced twice, done once", gzip, "gzip, gzip"),
        (
            "twenty codings", gzip,
            [String](repeating: "gzip", count: 20).joined(separator: ", ")
        ),
    ].map { (behaviour: String, bytes: [UInt8], coding: String) in
        Packing(
            behaviour: behaviour,
            bytes: bytes,
            coding: coding,
            outcome: .error(.cannotDecodeContentData)
        )
    }

    /// The framing is right, and the coding has no end.
    private static let cuts = FixtureCoding.allCases.flatMap { coding in
        let bytes = coding.encode(old.bytes)
        return [1, 5, 9].flatMap { tenths in
            let part = Array(bytes.prefix(bytes.count * tenths / 10))
            return [
                lie(
                    "\(coding.rawValue), cut at \(tenths) tenths",
                    packed(part, coding.rawValue),
                    gets: .interruption(.connectionLost, old),
                    asks: [whole, whole]
                ),
                lie(
                    "\(coding.rawValue) in chunks, cut at \(tenths) tenths",
                    packed(part, coding.rawValue).chunked(),
                    gets: .interruption(.connectionLost, old),
                    asks: [whole, whole]
                ),
            ]
        }
    }

    static let gzip = FixtureGzip.encode(old.bytes)

    private static func packed(_ bytes: [UInt8], _ coding: String) -> FixtureAnswer {
        .content(.bytes(bytes)).with(fields: [("Content-Encoding", coding)])
    }

    private static func changing(_ bytes: [UInt8], at index: Int) -> [UInt8] {
        var bytes = bytes
        bytes[index] ^= 0xFF
        return bytes
    }
}
