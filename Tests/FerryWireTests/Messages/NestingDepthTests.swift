import FoundationEssentials
import Testing

@testable import FerryWire

@Suite(.timeLimit(.minutes(5))) struct NestingDepthTests {
    @Test(arguments: [
        #"{"a":[{}]}"#, #"{"a":"[[[[[["}"#, #"{"a\"[[[[":1}"#, #"["\\",[[]]]"#, "", "}}}}}}{{{{{{",
        "[][][][][][]",
    ])
    func `a text of at most three levels passes`(text: String) throws {
        try NestingDepth.check(Data(text.utf8), limit: 3)
    }

    @Test(arguments: ["[[[[", #"{"a":[{"b":[]}]}"#, #"["\"",[[["#, #"["\\",[[["#])
    func `a text of more than three levels does not`(text: String) {
        #expect(throws: MessageError.tooDeep(limit: 3)) {
            try NestingDepth.check(Data(text.utf8), limit: 3)
        }
    }
}
