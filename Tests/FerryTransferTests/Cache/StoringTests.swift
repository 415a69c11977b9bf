import FerryHTTP
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5))) struct StoringTests {
    typealias Fixtures = CacheFixtures
    typealias Fields = [(String, String)]

    private func store(
        _ fields: Fields = [],
        status: Int = 200,
        requestFields: Fields = [],
        method: String = "GET"
    ) -> StoredResponse? {
        StoredResponse(
            answering: Fixtures.request(requestFields, method: method),
            with: Fixtures.head(fields, status: status),
            requestTime: Fixtures.start,
            responseTime: Fixtures.after(1)
        )
    }

    @Test func `a response is stored with its times`() throws {
        let stored = try #require(store(Fixtures.tagged))
        #expect(stored.head == Fixtures.head(Fixtures.tagged))
        #expect(stored.requestTime == Fixtures.start)
        #expect(stored.responseTime == Fixtures.after(1))
    }

    @Test(
        arguments: [
            [], [("Cache-Control", "private, max-age=60")], [("Cache-Control", "max-age=0")],
            [("Cache-Control", "no-cache")], [("Cache-Control", "must-understand")],
            [("Expires", "0")], [("Vary", "Accept, Cookie")],
        ] as [Fields]
    )
    func `what nobody forbids is stored`(fields: Fields) {
        #expect(store(fields) != nil)
    }

    @Test(
        arguments: [
            [("Cache-Control", "no-store")], [("Cache-Control", "max-age=60, No-Store")],
            [("Cache-Control", "no-store, must-understand, max-age=60")],
            [("Vary", "*")], [("Vary", "Accept"), ("Vary", "Accept, *")],
            [("Content-Range", "bytes 0-9/10")],
        ] as [Fields]
    )
    func `what the server forbids or what is a part is not stored`(fields: Fields) {
        #expect(store(fields) == nil)
    }

    @Test(arguments: [
        ("gzip", true, true), ("gzip", false, false), ("gzip, br", false, false),
        // Nobody gets it decoded.
        ("x-secret", false, true), ("identity", false, true),
    ])
    func `KEEP-4: a body that keeps a coding that others ask for answers no other request`(
        coding: String,
        isDecoded: Bool,
        isStored: Bool
    ) {
        var head = Fixtures.head(Fixtures.tagged + [("Content-Encoding", coding)], status: 200)
        head.isDecoded = isDecoded
        let stored = StoredResponse(
            answering: Fixtures.request([], method: "GET"),
            with: head,
            requestTime: Fixtures.start,
            responseTime: Fixtures.after(1)
        )
        #expect((stored != nil) == isStored)
    }

    @Test func `what the app forbids is not stored`() {
        #expect(store(requestFields: [("Cache-Control", "no-store")]) == nil)
        #expect(store(requestFields: [("Cache-Control", "no-cache")]) != nil)
    }

    @Test func `a login does not keep a response out of a private cache`() {
        #expect(store(Fixtures.tagged, requestFields: [("Authorization", "Basic eDp5")]) != nil)
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "HEAD", "OPTIONS", "get", "FETCH"])
    func `answers to other methods are not stored`(method: String) {
        #expect(store(Fixtures.tagged, method: method) == nil)
    }

    @Test(arguments: [
        100, 206, 300, 301, 302, 304, 307, 308, 400, 401, 404, 410, 412, 416, 500, 503,
    ])
    func `DL-13: only answers with 2xx are stored, and no parts`(status: Int) {
        #expect(store([("Cache-Control", "public, max-age=60")], status: status) == nil)
    }

    @Test(
        arguments: [
            (203, [], true), (204, [], true), (201, [], false), (299, [], false),
            (201, [("Cache-Control", "public")], true), (201, [("Cache-Control", "private")], true),
            (201, [("Cache-Control", "max-age=5")], true),
            (201, [("Expires", Fixtures.minuteLater)], true),
            (201, [("Cache-Control", "must-understand, max-age=5")], false),
        ] as [(Int, Fields, Bool)]
    )
    func `an unusual status is stored where the server says so`(
        status: Int,
        fields: Fields,
        isStored: Bool
    ) {
        #expect((store(fields, status: status) != nil) == isStored)
    }

    @Test func `what belongs to the connection is not stored`() throws {
        let stored = try #require(
            store([
                ("Connection", "close, X-Hop"), ("x-hop", "1"), ("Keep-Alive", "timeout=5"),
                ("Transfer-Encoding", "chunked"), ("ETag", "\"a\""), ("Proxy-Authenticate", "x"),
            ])
        )
        #expect(stored.head.fields == Fixtures.fields([("ETag", "\"a\"")]))
    }

    @Test(
        arguments: [
            ([], [], false),
            ([], [("Authorization", "Bearer x")], true),
            ([("Set-Cookie", "a=b")], [], true),
            ([("Vary", "Cookie")], [("Cookie", "a=b")], true),
            ([("Vary", "Cookie")], [], false),
            ([("Vary", "X-Token")], [("X-Token", "x")], true),
            ([("Vary", "Accept-Language")], [("Accept-Language", "de")], false),
        ] as [(Fields, Fields, Bool)]
    )
    func `what says who somebody is has secrets`(
        fields: Fields,
        requestFields: Fields,
        hasSecrets: Bool
    ) throws {
        let stored = try #require(store(fields, requestFields: requestFields))
        #expect(stored.hasSecrets == hasSecrets)
    }
}
