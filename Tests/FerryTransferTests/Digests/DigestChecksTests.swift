import FerryHTTP
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5)))
struct DigestChecksTests {
    private let request = TransferRequest(url: "http://host/file")
    private let whole = Digest(.sha256, Array(repeating: 1, count: 32))
    private let first = Digest(.sha256, Array(repeating: 2, count: 32))
    private let second = Digest(.sha256, Array(repeating: 3, count: 32))

    private func head(
        _ status: Int,
        _ fields: [(name: String, value: String)] = []
    ) -> HTTPResponseHead {
        HTTPResponseHead(
            status: status,
            fields: fields.map { HTTPField(name: $0.name, value: $0.value) },
            url: request.url
        )
    }

    @Test func `what the parts have announced adds up`() {
        var checks = DigestChecks(expected: [])
        let fields = [whole.field("Repr-Digest"), first.field("Content-Digest")]
        checks.record(head(206, fields), to: request, of: 10..<50)
        checks.record(head(206, [second.field("Content-Digest")]), to: request, of: 50..<100)
        #expect(
            checks.all == [
                DigestCheck(whole, isExpected: false),
                DigestCheck(first, range: 10..<50, isExpected: false),
                DigestCheck(second, range: 50..<100, isExpected: false),
            ]
        )
    }

    @Test(arguments: [["Repr-Digest"], ["Content-Digest"], ["Repr-Digest", "Content-Digest"]])
    func `what a part has announced is not asked of the whole that comes in its place`(
        names: [String]
    ) {
        let expected = DigestCheck(whole, isExpected: true)
        var checks = DigestChecks(expected: [whole])
        checks.record(head(206, names.map { first.field($0) }), to: request, of: 10..<100)
        #expect(checks.all.count == 1 + names.count)
        checks.record(head(200), to: request)
        #expect(checks.all == [expected])
        checks.record(head(200, [second.field("Content-Digest")]), to: request)
        #expect(checks.all == [expected, DigestCheck(second, isExpected: false)])
    }
}
