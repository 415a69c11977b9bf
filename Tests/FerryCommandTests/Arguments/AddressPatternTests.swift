import Testing

@testable import FerryCommand

/// Ranges and sets in addresses.
@Suite(.timeLimit(.minutes(1))) struct AddressPatternTests {
    @Test(
        arguments: [
            ("a", ["a"]), ("a[1-3]b", ["a1b", "a2b", "a3b"]), ("[08-10]", ["08", "09", "10"]),
            ("[008-10]", ["008", "009", "010"]), ("[8-10]", ["8", "9", "10"]),
            ("[0-9:4]", ["0", "4", "8"]), ("[5-5]", ["5"]), ("[a-c]", ["a", "b", "c"]),
            ("[A-E:2]", ["A", "C", "E"]), ("x{,.sig}", ["x", "x.sig"]),
            ("{a,b}[1-2]", ["a1", "a2", "b1", "b2"]), ("{b,a,b}", ["b", "a", "b"]),
            ("{ü,日本}", ["ü", "日本"]), ("\\[1-2\\]", ["[1-2]"]),
            ("\\{a,b\\}[1-2]", ["{a,b}1", "{a,b}2"]),
            ("a\\b", ["a\\b"]), ("a\\", ["a\\"]), ("[1-2][1-2]", ["11", "12", "21", "22"]),
        ]
    )
    func `a pattern stands for its addresses, in order`(text: String, addresses: [String]) throws {
        let pattern = try AddressPattern(text)
        #expect(pattern.matches.map(\.address) == addresses)
        #expect(pattern.count == addresses.count)
    }

    @Test(
        arguments: [
            "", "https://[::1]/a", "https://[fe80::1%25eth0]:80/", "a[1]", "a[]", "a{}", "a{one}",
            "a[1-",
            "a{1,2", "a]b}c", "a[1-2-3]", "a[-1]", "a[1-]", "a[1-b]", "a[aa-bb]", "a[1-2:x]",
            "a[[1-2",
            "a[é-ü]", "a{b}[c]",
        ]
    )
    func `brackets around anything else are characters of the address`(text: String) throws {
        let pattern = try AddressPattern(text)
        #expect(pattern.matches.map(\.address) == [text])
    }

    @Test(
        arguments: [
            ("[3-1]", "the range '[3-1]' ends before it begins"),
            ("[z-a]", "the range '[z-a]' ends before it begins"),
            ("[a-Z]", "the range '[a-Z]' ends before it begins"),
            ("[A-z]", "the range '[A-z]' ends before it begins"),
            ("[1-9:0]", "the range '[1-9:0]' has a step of 0"),
            (
                "[1-99999999999999999999]",
                "the numbers of the range '[1-99999999999999999999]' are too large"
            ),
        ]
    )
    func `a range that has no values is told`(text: String, message: String) {
        #expect(throws: AddressPattern.Fault(message: message)) { try AddressPattern(text) }
    }

    @Test func `a pattern that stands for more than can be counted is counted all the same`() throws
    {
        let range = "[0-9007199254740990]"
        #expect(try AddressPattern(range).count == 9_007_199_254_740_991)
        #expect(try AddressPattern(range + range).count == .max)
        #expect(try AddressPattern("[1-5:99999999999999999999]").count == 1)
    }

    @Test(
        arguments: [
            ("#1-#2", "a-07"), ("page", "page"), ("#3", "#3"), ("#0", "#0"), ("#", "#"),
            ("##1", "#a"),
            ("#2.#1.#2", "07.a.07"), ("#99999999999999999999", "#99999999999999999999"),
        ]
    )
    func `a name has what a range or set stands for`(name: String, expected: String) throws {
        let match = try #require(AddressPattern("{a}{a,b}[07-09]").matches.first { _ in true })
        #expect(match.values == ["a", "07"])
        #expect(match.name(name) == expected)
    }
}
