import FerryHTTP
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5))) struct ValidationTests {
    typealias Fixtures = CacheFixtures
    typealias Fields = [(String, String)]

    @Test(
        arguments: [
            ([("ETag", "\"a\"")], [("If-None-Match", "\"a\"")]),
            ([("ETag", "W/\"a\"")], [("If-None-Match", "W/\"a\"")]),
            ([("ETag", "a")], []),
            ([("ETag", "\"a\""), ("ETag", "\"b\"")], []),
            (
                [("Last-Modified", Fixtures.hourBefore)],
                [("If-Modified-Since", Fixtures.hourBefore)]
            ),
            ([("Last-Modified", "then")], []),
            (
                [("Last-Modified", Fixtures.hourBefore), ("ETag", "\"a\"")],
                [("If-None-Match", "\"a\""), ("If-Modified-Since", Fixtures.hourBefore)]
            ),
            ([("Date", Fixtures.startText)], []),
        ] as [(Fields, Fields)]
    )
    func `the server is asked by all that tells versions apart`(fields: Fields, asked: Fields) {
        #expect(Fixtures.stored(fields).conditions == Fixtures.fields(asked))
    }

    @Test(
        arguments: [
            ([("ETag", "\"a\"")], [("ETag", "\"a\"")], true),
            ([("ETag", "\"a\"")], [("ETag", "W/\"a\"")], true),
            ([("ETag", "W/\"a\"")], [("ETag", "\"a\"")], true),
            ([("ETag", "\"a\"")], [("ETag", "\"b\"")], false),
            ([("ETag", "\"a\"")], [], true),
            ([("Last-Modified", Fixtures.hourBefore)], [], true),
            (
                [("Last-Modified", Fixtures.hourBefore)], [("Last-Modified", Fixtures.hourBefore)],
                true
            ),
            (
                [("Last-Modified", Fixtures.hourBefore)], [("Last-Modified", Fixtures.startText)],
                false
            ),
            ([("Last-Modified", Fixtures.hourBefore)], [("ETag", "\"a\"")], false),
            ([("ETag", "\"a\"")], [("Last-Modified", Fixtures.hourBefore)], false),
            ([("ETag", "\"a\"")], [("ETag", "b")], false),
            (
                [("ETag", "\"a\""), ("Last-Modified", Fixtures.hourBefore)],
                [("ETag", "\"b\""), ("Last-Modified", Fixtures.hourBefore)], false
            ),
        ] as [(Fields, Fields, Bool)]
    )
    func `a 304 confirms the version that it names`(
        stored: Fields,
        fields: Fields,
        isConfirmed: Bool
    ) {
        let head = Fixtures.head(fields, status: 304)
        #expect(Fixtures.stored(stored).isConfirmed(by: head) == isConfirmed)
    }

    @Test func `a 304 replaces what it repeats, and adds what is new`() {
        let stored = Fixtures.stored([
            ("ETag", "\"a\""), ("Cache-Control", "max-age=60"), ("Cache-Control", "public"),
            ("Date", Fixtures.hourBefore), ("X-Kept", "1"),
        ])
        let head = Fixtures.head(
            [("cache-control", "max-age=5"), ("Date", Fixtures.startText), ("X-New", "2")],
            status: 304
        )
        let freshened = stored.freshened(
            by: head,
            requestTime: Fixtures.after(3),
            responseTime: Fixtures.after(4)
        )
        #expect(freshened.head.status == 200)
        #expect(
            freshened.head.fields
                == Fixtures.fields([
                    ("ETag", "\"a\""), ("X-Kept", "1"), ("cache-control", "max-age=5"),
                    ("Date", Fixtures.startText), ("X-New", "2"),
                ])
        )
        #expect(freshened.requestTime == Fixtures.after(3))
        #expect(freshened.responseTime == Fixtures.after(4))
        // Four seconds after its new date.
        #expect(freshened.age(at: Fixtures.after(4)) == 4)
    }

    @Test func `a 304 says nothing about the body or the connection`() {
        let fields = [
            ("Content-Length", "100"), ("Content-Type", "text/plain"), ("Content-Encoding", "br"),
        ]
        let stored = Fixtures.stored(fields)
        let head = Fixtures.head(
            [
                ("Content-Length", "0"), ("Content-Type", "text/html"), ("Content-Range", "x"),
                ("Content-Encoding", "gzip"), ("Connection", "X-Hop"), ("X-Hop", "1"),
            ],
            status: 304
        )
        let freshened = stored.freshened(
            by: head,
            requestTime: Fixtures.start,
            responseTime: Fixtures.start
        )
        #expect(freshened.head.fields == Fixtures.fields(fields))
    }

    @Test func `the age of the former answer is forgotten`() {
        let stored = Fixtures.stored([("Age", "500"), ("ETag", "\"a\"")])
        let freshened = stored.freshened(
            by: Fixtures.head(status: 304),
            requestTime: Fixtures.start,
            responseTime: Fixtures.start
        )
        #expect(freshened.age(at: Fixtures.start) == 0)
    }
}
