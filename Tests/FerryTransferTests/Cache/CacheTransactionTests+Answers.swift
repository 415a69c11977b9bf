import FerryHTTP
import Testing

@testable import FerryTransfer

extension CacheTransactionTests {
    private func transaction(
        _ request: TransferRequest = Fixtures.request(),
        _ policy: CachePolicy = .useProtocolCachePolicy,
        found: StoredResponse?
    ) -> CacheTransaction {
        var transaction = CacheTransaction(request: request, policy: policy)
        _ = transaction.lookedUp(found, at: Fixtures.after(100))
        return transaction
    }

    private func answer(
        _ transaction: CacheTransaction,
        _ fields: Fields = [],
        status: Int = 200,
        usesCredential: Bool = false
    ) -> CacheTransaction.Answer {
        var transaction = transaction
        return transaction.answered(
            with: Fixtures.head(fields, status: status),
            usesCredential: usesCredential,
            requestTime: Fixtures.after(100),
            responseTime: Fixtures.after(101)
        )
    }

    private func invalidated(_ answer: CacheTransaction.Answer) -> [String]? {
        guard case .deliver(_, let urls) = answer else { return nil }
        return urls
    }

    private static let nothing = CacheTransaction.Answer.deliver(proposing: nil, invalidating: [])
    private static let removal = CacheTransaction.Answer.deliver(
        proposing: nil,
        invalidating: [Fixtures.url]
    )

    // MARK: - Storing

    @Test func `a new response is proposed for storing`() {
        let proposed = StoredResponse(
            answering: Fixtures.request(),
            with: Fixtures.head(Fixtures.tagged),
            requestTime: Fixtures.after(100),
            responseTime: Fixtures.after(101)
        )
        #expect(proposed != nil)
        let expected = CacheTransaction.Answer.deliver(proposing: proposed, invalidating: [])
        for policy in CachePolicy.allCases {
            #expect(
                answer(transaction(Fixtures.request(), policy, found: nil), Fixtures.tagged)
                    == expected
            )
        }
        let stale = Fixtures.stored(Fixtures.tagged)
        #expect(answer(transaction(found: stale), Fixtures.tagged) == expected)
    }

    @Test(arguments: [200, 201, 204, 301, 308, 404, 410])
    func `an answer that may not be stored puts an end to what is stored`(status: Int) {
        let stale = Fixtures.stored(Fixtures.tagged)
        let fields = [("Cache-Control", "no-store")]
        #expect(answer(transaction(found: stale), fields, status: status) == Self.removal)
        #expect(answer(transaction(found: nil), fields, status: status) == Self.nothing)
        // Nobody has looked whether something is stored.
        let reload = transaction(Fixtures.request(), .reloadIgnoringLocalCacheData, found: nil)
        #expect(answer(reload, fields, status: status) == Self.removal)
    }

    @Test(arguments: [206, 302, 307, 400, 401, 403, 407, 429, 500, 502, 503, 504])
    func `an answer that says nothing about the resource leaves it stored`(status: Int) {
        let stale = Fixtures.stored(Fixtures.tagged)
        #expect(answer(transaction(found: stale), status: status) == Self.nothing)
    }

    @Test(arguments: [("Range", "bytes=0-9"), ("If-None-Match", "\"x\"")])
    func `a whole answer is stored, whatever was asked`(name: String, value: String) {
        let transaction = transaction(Fixtures.request([(name, value)]), found: nil)
        guard case .deliver(_?, []) = answer(transaction, Fixtures.tagged) else {
            Issue.record("nothing is proposed")
            return
        }
    }

    // MARK: - 304

    @Test func `a confirmed response is used and stored again`() {
        let stale = Fixtures.stored(Fixtures.tagged)
        let fields = [("ETag", "\"a\""), ("Cache-Control", "max-age=5")]
        let freshened = stale.freshened(
            by: Fixtures.head(fields, status: 304),
            requestTime: Fixtures.after(100),
            responseTime: Fixtures.after(101)
        )
        #expect(
            answer(transaction(found: stale), fields, status: 304)
                == .useStored(freshened, isKept: true)
        )
    }

    private func isKept(_ answer: CacheTransaction.Answer) -> Bool? {
        guard case .useStored(_, let isKept) = answer else { return nil }
        return isKept
    }

    @Test func `DL-13: what a credential has brought is not stored`() {
        let new = transaction(found: nil)
        #expect(answer(new, Fixtures.tagged, usesCredential: true) == Self.nothing)
        let stale = transaction(found: Fixtures.stored(Fixtures.tagged))
        #expect(answer(stale, Fixtures.tagged, usesCredential: true) == Self.removal)
        #expect(isKept(answer(stale, status: 304, usesCredential: true)) == false)
    }

    @Test func `RFC 9111 §4.1: a 304 may name other fields that decide`() throws {
        let request = Fixtures.request([("Cookie", "a=1")])
        let found = Fixtures.stored(Fixtures.tagged, requestFields: [("Cookie", "a=1")])
        let transaction = transaction(request, found: found)
        let answer = answer(transaction, [("Vary", "Cookie")], status: 304)
        guard case .useStored(let freshened, true) = answer else {
            Issue.record("it is not kept: \(answer)")
            return
        }
        #expect(freshened.hasSecrets)
        #expect(freshened.selectingFields.match(request.fields))
        #expect(!freshened.selectingFields.match(Fixtures.fields([("Cookie", "a=2")])))
        #expect(isKept(self.answer(transaction, [("Vary", "*")], status: 304)) == false)
    }

    @Test func `what may not be stored any more is used once`() {
        let stale = Fixtures.stored(Fixtures.tagged)
        let forbidding = [("Cache-Control", "no-store")]
        #expect(isKept(answer(transaction(found: stale), forbidding, status: 304)) == false)
        let discreet = transaction(Fixtures.request(forbidding), found: stale)
        #expect(isKept(answer(discreet, status: 304)) == false)
    }

    @Test func `a 304 about something else leads to a request without condition`() {
        let stale = Fixtures.stored(Fixtures.tagged)
        var transaction = transaction(found: stale)
        let other = Fixtures.head([("ETag", "\"b\"")], status: 304)
        let first = transaction.answered(
            with: other,
            usesCredential: false,
            requestTime: Fixtures.after(100),
            responseTime: Fixtures.after(101)
        )
        #expect(first == .fetchAgain)
        // A server that insists has its 304 delivered: there is no third request.
        #expect(answer(transaction, [("ETag", "\"b\"")], status: 304) == Self.nothing)
    }

    @Test func `a 304 to an app's own condition is the app's`() {
        let request = Fixtures.request([("If-None-Match", "\"a\"")])
        let stored = Fixtures.stored(Fixtures.tagged)
        #expect(
            answer(transaction(request, found: stored), [("ETag", "\"a\"")], status: 304)
                == Self.nothing
        )
    }

    // MARK: - Changes on the server

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "SOMETHING", "get"])
    func `a change makes what is stored useless`(method: String) {
        let transaction = transaction(Fixtures.request(method: method), found: nil)
        for status in [200, 201, 204, 303] {
            #expect(invalidated(answer(transaction, status: status)) == [Fixtures.url])
        }
        for status in [400, 403, 500] {
            #expect(invalidated(answer(transaction, status: status)) == [])
        }
    }

    @Test(arguments: ["GET", "HEAD", "OPTIONS", "TRACE"])
    func `a safe method changes nothing`(method: String) {
        let transaction = transaction(Fixtures.request(method: method), found: nil)
        #expect(invalidated(answer(transaction, [("Location", "/other")], status: 201)) == [])
    }

    @Test(
        arguments: [
            ([("Location", "/other")], ["https://host/other"]),
            ([("Content-Location", "other?x=1")], ["https://host/other?x=1"]),
            (
                [("Location", "https://host:443/a"), ("Content-Location", "/b")],
                ["https://host:443/a", "https://host/b"]
            ),
            ([("Location", "/file")], []),
            ([("Location", "http://host/other")], []),
            ([("Location", "https://other/file")], []),
            ([("Content-Location", "//other/file")], []),
            ([("Location", "ftp://host/file")], []),
        ] as [(Fields, [String])]
    )
    func `a change reaches what it names at the same origin`(fields: Fields, urls: [String]) {
        let transaction = transaction(Fixtures.request(method: "POST"), found: nil)
        #expect(invalidated(answer(transaction, fields, status: 201)) == [Fixtures.url] + urls)
    }
}
