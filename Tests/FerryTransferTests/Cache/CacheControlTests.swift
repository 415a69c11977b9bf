import FerryHTTP
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5))) struct CacheControlTests {
    private func control(_ values: String...) -> CacheControl {
        CacheControl(fields: values.map { HTTPField(name: "cache-control", value: $0) })
    }

    @Test func `directives have neither case nor order`() {
        let control = control("No-Store,  MAX-AGE=60 ,must-Revalidate")
        #expect(control.isNoStore)
        #expect(control.isMustRevalidate)
        #expect(control.maxAge == 60)
        #expect(!control.isNoCache)
    }

    @Test func `several fields are one list`() {
        let control = control("no-cache", "max-age=5")
        #expect(control.isNoCache)
        #expect(control.maxAge == 5)
    }

    @Test(
        arguments: [
            ("max-age=0", 0), ("max-age=007", 7), ("max-age=\"60\"", 60), ("max-age = 60", 60),
            ("max-age=\"6\\0\"", 60), ("max-age=2147483647", 2_147_483_647),
            ("max-age=2147483648", 2_147_483_648), ("max-age=2147483649", 2_147_483_648),
            ("max-age=99999999999999999999999", 2_147_483_648),
        ] as [(String, Int64)]
    )
    func `a number of seconds is read, up to 2³¹`(value: String, seconds: Int64) {
        #expect(control(value).maxAge == seconds)
    }

    @Test(arguments: [
        "max-age", "max-age=", "max-age=-1", "max-age=1.5", "max-age=1h", "max-age='1'",
        "max-age=\"\"", "max-age=\" 1\"", "max-age=+5", "max-age=٣",
    ])
    func `a maximum age that is no number is over`(value: String) {
        #expect(control(value).maxAge == 0)
    }

    @Test func `the first of two counts`() {
        #expect(control("max-age=1, max-age=2").maxAge == 1)
        #expect(control("max-age=2", "max-age=1").maxAge == 2)
        #expect(control("max-age=x, max-age=2").maxAge == 0)
    }

    @Test(arguments: ["", ",", " , ,", "=", "=5", "foo", "foo=bar", "maxage=5", "s-maxage=9"])
    func `what is unknown says nothing`(value: String) {
        let control = control(value)
        #expect(control.maxAge == nil)
        #expect(!control.isNoStore && !control.isNoCache && !control.isExplicitlyCacheable)
    }

    @Test func `a comma in quotes ends nothing`() {
        let control = control("foo=\"a, no-store, b\\\", no-cache\", max-age=1")
        #expect(!control.isNoStore)
        #expect(!control.isNoCache)
        #expect(control.maxAge == 1)
    }

    @Test func `nothing hides behind a quote that is never closed`() {
        let control = control("foo=\"bar, no-store, max-age=9")
        #expect(control.isNoStore)
        #expect(control.maxAge == 9)
    }

    @Test func `a directive for some fields is taken for all`() {
        #expect(control("no-cache=\"Set-Cookie, X\"").isNoCache)
        #expect(control("private=\"X\"").isExplicitlyCacheable)
    }

    @Test(
        arguments: [
            ("max-stale", .any), ("max-stale=", .any), ("max-stale=5", .seconds(5)),
            ("max-stale=x", nil), ("max-age=5", nil),
        ] as [(String, CacheControl.AcceptedStaleness?)]
    )
    func `a request accepts staleness`(value: String, accepted: CacheControl.AcceptedStaleness?) {
        #expect(control(value).maxStale == accepted)
    }

    @Test func `a freshness that is no number is never enough`() {
        #expect(control("min-fresh=10").minFresh == 10)
        #expect(control("min-fresh=soon").minFresh == .max)
        #expect(control("max-age=1").minFresh == nil)
    }

    @Test func `a comma ends a directive also with an accent on it`() {
        #expect(control("private,\u{301}, no-store").isNoStore)
        #expect(control("no-cache,\u{301}x").isNoCache)
        #expect(control("x=\"\u{301}a\", no-store").isNoStore)
        #expect(control("max-age=\"5\"").maxAge == 5)
    }
}
