import FerryHTTP
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5))) struct FreshnessTests {
    typealias Fixtures = CacheFixtures
    typealias Fields = [(String, String)]

    // MARK: - How long a response is fresh

    @Test(
        arguments: [
            ([("Cache-Control", "max-age=60")], 60),
            // It goes before Expires (RFC 9111 §5.3), also when it is less.
            ([("Cache-Control", "max-age=5"), ("Expires", Fixtures.minuteLater)], 5),
            ([("Cache-Control", "max-age=x"), ("Expires", Fixtures.minuteLater)], 0),
            // A private cache has nothing to do with s-maxage.
            ([("Cache-Control", "s-maxage=9")], 0),
            ([("Cache-Control", "s-maxage=9"), ("Expires", Fixtures.minuteLater)], 60),
            ([("Expires", Fixtures.minuteLater)], 60),
            ([("Expires", Fixtures.minuteLater), ("Date", Fixtures.hourBefore)], 3660),
            ([("Expires", Fixtures.minuteLater), ("Date", "now")], 60),
            ([("Expires", Fixtures.minuteBefore)], 0),
            ([("Expires", "0")], 0),
            ([("Expires", "0"), ("Last-Modified", Fixtures.hourBefore)], 0),
            ([("Expires", Fixtures.minuteLater), ("Expires", "0")], 60),
            ([], 0),
        ] as [(Fields, Int64)]
    )
    func `the server says how long a response is fresh`(fields: Fields, seconds: Int64) {
        #expect(Fixtures.stored(fields).freshnessLifetime == seconds)
    }

    @Test(
        arguments: [
            ([("Last-Modified", Fixtures.hourBefore)], 200, 360),
            ([("Last-Modified", Fixtures.hourBefore)], 404, 360),
            ([("Last-Modified", Fixtures.hourBefore)], 201, 0),
            ([("Last-Modified", Fixtures.hourBefore), ("Cache-Control", "public")], 201, 360),
            ([("Last-Modified", Fixtures.minuteBefore), ("Date", Fixtures.startText)], 200, 6),
            ([("Last-Modified", Fixtures.hourBefore), ("Date", Fixtures.minuteBefore)], 200, 354),
            ([("Last-Modified", Fixtures.minuteLater)], 200, 0),
            ([("Last-Modified", "then")], 200, 0),
        ] as [(Fields, Int, Int64)]
    )
    func `otherwise it is fresh for a tenth of the time it has not changed`(
        fields: Fields,
        status: Int,
        seconds: Int64
    ) {
        #expect(Fixtures.stored(fields, status: status).freshnessLifetime == seconds)
    }

    // MARK: - How old it is

    @Test(
        arguments: [
            ([], 0, 0, 0),
            ([], 0, 10, 10),
            // The time that the response took may be behind it.
            ([("Age", "5")], 3, 10, 18),
            ([], 3, 10, 13),
            // Of two accounts of how old it was when it came, the greater counts.
            ([("Date", Fixtures.minuteBefore), ("Age", "5")], 3, 10, 70),
            ([("Date", Fixtures.minuteBefore), ("Age", "100")], 0, 0, 100),
            // A server whose clock is ahead does not make it younger than new.
            ([("Date", Fixtures.minuteLater)], 0, 10, 10),
            ([("Age", "5, 7")], 0, 0, 5),
            ([("Age", "-5")], 0, 0, 0),
            ([("Age", "old")], 0, 0, 0),
            ([("Age", "99999999999999999999")], 0, 0, 2_147_483_648),
        ] as [(Fields, Int64, Int64, Int64)]
    )
    func `the age counts from when the server made the response`(
        fields: Fields,
        delay: Int64,
        passed: Int64,
        age: Int64
    ) {
        let stored = Fixtures.stored(fields, delay: delay)
        #expect(stored.age(at: Fixtures.after(passed)) == age)
    }

    @Test func `nobody knows the age when the clock was set back`() {
        let stored = Fixtures.stored([("Cache-Control", "max-age=60")])
        #expect(stored.age(at: Fixtures.after(-1)) == nil)
        #expect(!stored.isUsable(for: Fixtures.request(), at: Fixtures.after(-1)))
        let lenient = Fixtures.request([("Cache-Control", "max-stale")])
        #expect(!stored.isUsable(for: lenient, at: Fixtures.after(-1)))
    }

    // MARK: - What a request accepts

    @Test(
        arguments: [
            ("max-age=60", "", 59, true),
            ("max-age=60", "", 60, false),
            ("max-age=60, no-cache", "", 0, false),
            ("max-age=60, no-cache=\"X\"", "", 0, false),
            ("max-age=60", "no-cache", 0, false),
            ("max-age=60", "no-store", 0, true),
            ("max-age=60", "max-age=30", 30, true),
            ("max-age=60", "max-age=30", 31, false),
            ("max-age=60", "max-age=0", 0, false),
            ("max-age=60", "max-age=900", 60, false),
            ("max-age=60", "min-fresh=20", 40, true),
            ("max-age=60", "min-fresh=20", 41, false),
            ("max-age=60", "min-fresh=x", 0, false),
            ("max-age=60", "max-stale", 9999, true),
            ("max-age=60", "max-stale=10", 70, true),
            ("max-age=60", "max-stale=10", 71, false),
            ("max-age=60", "max-stale=x", 60, false),
            ("max-age=60, must-revalidate", "max-stale", 60, false),
            ("max-age=60, must-revalidate", "max-stale", 59, true),
            ("max-age=60, no-cache", "max-stale", 0, false),
            ("max-age=60", "max-stale, max-age=30", 31, false),
            ("max-age=60", "only-if-cached", 59, true),
            ("max-age=60, immutable", "max-age=0", 0, false),
            ("max-age=60, stale-while-revalidate=9", "", 60, false),
        ] as [(String, String, Int64, Bool)]
    )
    func `a response is used as long as server and app accept it`(
        response: String,
        request: String,
        age: Int64,
        isUsable: Bool
    ) {
        let stored = Fixtures.stored([("Cache-Control", response)])
        let fields = request.isEmpty ? [] : [("Cache-Control", request)]
        #expect(
            stored.isUsable(for: Fixtures.request(fields), at: Fixtures.after(age)) == isUsable
        )
    }

    @Test(
        arguments: [
            ([("Pragma", "no-cache")], false),
            ([("pragma", "x, No-Cache")], false),
            ([("Pragma", "x")], true),
            ([("Pragma", "no-cache"), ("Cache-Control", "max-age=60")], true),
        ] as [(Fields, Bool)]
    )
    func `a pragma counts where there is nothing newer`(fields: Fields, isUsable: Bool) {
        let stored = Fixtures.stored([("Cache-Control", "max-age=60")])
        #expect(stored.isUsable(for: Fixtures.request(fields), at: Fixtures.start) == isUsable)
    }

    @Test(arguments: [Int64.min, -1, 0, .max])
    func `times of a record that make no sense make no age that does harm`(seconds: Int64) {
        let time = HTTPDate(secondsSince1970: seconds)
        for other in [Int64.min, 0, .max].map({ HTTPDate(secondsSince1970: $0) }) {
            var stored = Fixtures.stored([("Expires", "Sunday, 06-Nov-94 08:49:37 GMT")])
            stored.requestTime = time
            stored.responseTime = other
            #expect(stored.age(at: time) ?? 0 >= 0)
            #expect(stored.freshnessLifetime >= 0)
        }
    }
}
