import FerryHTTP
import Testing

@Suite(.timeLimit(.minutes(5))) struct HTTPFieldTests {
    let fields = [
        HTTPField(name: "ETag", value: "\"a\""), HTTPField(name: "Set-Cookie", value: "a=1"),
        HTTPField(name: "SET-COOKIE", value: "b=2"), HTTPField(name: "K\u{212A}", value: "Kelvin"),
    ]

    @Test(arguments: ["etag", "ETAG", "ETag"]) func `names have no case`(name: String) {
        #expect(fields.first(named: name) == "\"a\"")
    }

    @Test func `values come in the order of the message`() {
        #expect(fields.first(named: "set-cookie") == "a=1")
        #expect(fields.values(named: "set-cookie") == ["a=1", "b=2"])
    }

    @Test(arguments: ["", "ETa", "ETagg", "Set_Cookie", "kk", "Set\u{0D}Cookie"])
    func `a name that is only alike is another one`(name: String) {
        #expect(fields.first(named: name) == nil)
        #expect(fields.values(named: name) == [])
    }
}

@Suite(.timeLimit(.minutes(5))) struct ListElementsTests {
    @Test(
        arguments: [
            ("", []), (" \t", []), ("a", ["a"]), (" a b\t, c", ["a b", "c"]),
            (",a,,b,", ["a", "b"]),
            ("a,\u{301}b", ["a", "\u{301}b"]), (" \u{301}a", ["\u{301}a"]),
        ] as [(String, [String])]
    )
    func `a list is taken apart at its commas, whatever stands on them`(
        value: String,
        elements: [String]
    ) {
        #expect(value.listElements == elements)
    }
}
