import FerryHTTP
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5))) struct HTTPResponseHeadBodyTests {
    private func head(_ fields: [(String, String)]) -> HTTPResponseHead {
        HTTPResponseHead(
            status: 200,
            fields: fields.map { HTTPField(name: $0.0, value: $0.1) },
            url: "http://host/"
        )
    }

    @Test(
        arguments: [
            ([("Content-Length", "0")], 0),
            ([("content-length", "12")], 12),
            ([("Content-Length", "12"), ("Content-Length", "12")], 12),
            ([("Content-Length", "12, 12")], 12),
            ([("Content-Length", " 12\t")], 12),
            ([("Content-Length", "12, 13")], nil),
            ([("Content-Length", "12"), ("Content-Length", "13")], nil),
            ([("Content-Length", "12,")], nil),
            ([("Content-Length", "")], nil),
            ([("Content-Length", "-1")], nil),
            ([("Content-Length", "+1")], nil),
            ([("Content-Length", "1e3")], nil),
            ([("Content-Length", "99999999999999999999")], nil),
            ([("Content-Length", "12"), ("Transfer-Encoding", "chunked")], nil),
            ([], nil),
        ] as [([(String, String)], Int64?)]
    )
    func `a length is believed only when it is certain`(
        fields: [(String, String)],
        length: Int64?
    ) {
        #expect(head(fields).contentLength == length)
    }
}
