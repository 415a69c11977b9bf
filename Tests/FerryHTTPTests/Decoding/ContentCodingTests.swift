import Testing

@testable import FerryHTTP

@Suite(.timeLimit(.minutes(1))) struct ContentCodingTests {
    private func accepts(_ values: [String]) -> Set<ContentCoding> {
        let codings = AcceptedCodings(
            values.map { HTTPField(name: "accept-encoding", value: $0) }
        )
        return Set(ContentCoding.allCases.filter { codings.contain([$0]) })
    }

    @Test(
        arguments: [
            ([], []), ([""], []), (["identity"], []), (["gzip"], [.gzip]),
            (["gzip, deflate", "br"], [.gzip, .deflate, .brotli]), (["GZIP;q=0.5"], [.gzip]),
            (["x-gzip"], [.gzip]), (["gzip;q=0"], []), (["gzip; Q=0.000, br"], [.brotli]),
            (["*"], [.gzip, .deflate, .brotli, .zstd]), (["*;q=0"], []), (["*;q=0, br"], [.brotli]),
            (["*, gzip;q=0"], [.deflate, .brotli, .zstd]), (["compress, x-secret"], []),
            (["gzip;q=nonsense"], [.gzip]), (["br;level=0;q=1"], [.brotli]),
            ([ContentCoding.allNames], [.gzip, .deflate, .brotli, .zstd]),
        ] as [([String], Set<ContentCoding>)]
    )
    func `RFC 9110 §12.5.3: what a request asks for is read from its fields`(
        values: [String],
        expected: Set<ContentCoding>
    ) {
        #expect(accepts(values) == expected)
    }

    @Test(
        arguments: [
            ([], nil), ([""], nil), (["identity"], nil), (["none, identity"], nil),
            (["gzip"], [.gzip]), (["X-GZip"], [.gzip]), (["gzip, br"], [.gzip, .brotli]),
            (["gzip", "br"], [.gzip, .brotli]), (["identity, gzip,"], [.gzip]),
            (["aws-chunked"], nil), (["gzip, x-secret"], nil), (["gzip;q=1"], nil),
        ] as [([String], [ContentCoding]?)]
    )
    func `the codings of a body are known all or not at all`(
        values: [String],
        expected: [ContentCoding]?
    ) {
        let head = HTTPResponseHead(
            status: 200,
            fields: values.map { HTTPField(name: "Content-encoding", value: $0) },
            url: "http://a/"
        )
        #expect(head.knownContentCodings == expected)
    }
}
