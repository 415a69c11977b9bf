import Testing

@testable import FerrySystem

/// The lines of key files, as GLib reads them.
@Suite(.timeLimit(.minutes(1))) struct KeyFileLineTests {
    @Test(arguments: [
        ("", KeyFileLine.nothing), ("   ", .nothing), ("# comment", .nothing), ("\t", .nothing),
        ("[ferryd]", .group("ferryd")), ("a=1", .pair(key: "a", value: "1")),
        ("a = 1 ", .pair(key: "a", value: "1 ")), ("a=", .pair(key: "a", value: "")),
        ("a=b=c", .pair(key: "a", value: "b=c")), ("a=b # c", .pair(key: "a", value: "b # c")),
        ("a=\\\\ \\s|\\t", .pair(key: "a", value: "\\  |\t")), ("a=ü", .pair(key: "a", value: "ü")),
        ("group=1", .pair(key: "group", value: "1")),
    ])
    func `a line is a group, a pair or nothing`(_ line: String, _ content: KeyFileLine) throws {
        #expect(try KeyFileLine.read(line) == content)
    }

    @Test(arguments: ["a", "=1", "[ferryd", "[]", "[a]]", "a\0=1", "a=\u{1}", "a=1\nb=2"])
    func `what is none of these is malformed`(_ line: String) {
        #expect(throws: KeyFileLine.Failure.malformed) { try KeyFileLine.read(line) }
    }
}
