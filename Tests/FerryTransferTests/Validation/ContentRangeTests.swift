import FerryHTTP
import FerryTransfer
import Testing

@Suite(.timeLimit(.minutes(5))) struct ContentRangeTests {
    @Test(
        arguments: [
            ("bytes 0-0/1", 0..<1, 1),
            ("bytes 0-499/1234", 0..<500, 1234),
            ("bytes 734-1233/1234", 734..<1234, 1234),
            ("BYTES 1-2/4", 1..<3, 4),
            (" bytes 1-2/4\t", 1..<3, 4),
            ("bytes 5-9/*", 5..<10, nil),
            ("bytes 0-9223372036854775805/9223372036854775807", 0..<(.max - 1), .max),
        ] as [(String, Range<Int64>, Int64?)]
    )
    func `a range says which bytes, and of how many`(
        text: String,
        range: Range<Int64>,
        total: Int64?
    ) {
        let content = ContentRange(text)
        #expect(content?.range == range)
        #expect(content?.totalByteCount == total)
    }

    @Test func `an unsatisfied range tells the length`() {
        let content = ContentRange("bytes */1234")
        #expect(content != nil)
        #expect(content?.range == nil)
        #expect(content?.totalByteCount == 1234)
    }

    @Test(arguments: [
        "", "bytes", "bytes ", "bytes 0-1", "bytes */*", "bytes 0-1/", "bytes /5", "bytes 0-/5",
        "bytes -1/5", "bytes 2-1/5", "bytes 0-5/5", "bytes 0-1/2/3", "bytes 0-1-2/9",
        "bytes 0x0-1/5", "bytes +0-1/5", "bytes 0- 1/5", "bytes 0 -1/5", "bytes  0-1/5",
        "bytes=0-1/5", "bytes: 0-1/5", "items 0-1/5", "0-1/5", "bytes 0-1/-5",
        "bytes 0-9223372036854775807/*", "bytes 0-1/9223372036854775808",
        "bytes 0-99999999999999999999/*", "bytes ٠-١/٥",
    ])
    func `a malformed range is refused`(text: String) {
        #expect(ContentRange(text) == nil)
    }

    @Test func `two ranges in one header say nothing`() {
        var head = HTTPResponseHead(status: 206, fields: [], url: "http://host/")
        #expect(ContentRange(head: head) == nil)
        head.fields.append(HTTPField(name: "content-range", value: "bytes 1-2/4"))
        #expect(ContentRange(head: head)?.range == 1..<3)
        head.fields.append(HTTPField(name: "Content-Range", value: "bytes 1-2/4"))
        #expect(ContentRange(head: head) == nil)
    }
}
