import FerryHTTP
import Testing

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
