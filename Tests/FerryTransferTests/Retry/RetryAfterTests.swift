import FerryHTTP
import FerryTransfer
import Testing

@Suite(.timeLimit(.minutes(5))) struct RetryAfterTests {
    private let now = HTTPDate(secondsSince1970: 784_111_777)

    private func seconds(_ value: String, date: String? = nil) -> Double? {
        var head = HTTPResponseHead(
            status: 503,
            fields: [HTTPField(name: "retry-after", value: value)],
            url: "http://host/"
        )
        if let date { head.fields.append(HTTPField(name: "Date", value: date)) }
        return RetryAfter(head: head, now: now)?.seconds
    }

    @Test func `a number is seconds`() {
        #expect(seconds("0") == 0)
        #expect(seconds("120") == 120)
    }

    @Test func `a date is related to the clock`() {
        #expect(seconds("Sun, 06 Nov 1994 08:50:37 GMT") == 60)
        #expect(seconds("Sunday, 06-Nov-94 08:49:47 GMT") == 10)
    }

    @Test func `a date is related to the server's clock where it tells the time`() {
        let date = "Mon, 07 Nov 1994 08:49:37 GMT"
        #expect(seconds("Mon, 07 Nov 1994 08:49:47 GMT", date: date) == 10)
    }

    @Test func `a date in the past is now`() {
        #expect(seconds("Sun, 06 Nov 1994 08:49:00 GMT") == 0)
    }

    @Test(arguments: ["", "-1", "1.5", "soon", "12 s", "99999999999999999999"])
    func `anything else says nothing`(value: String) {
        #expect(seconds(value) == nil)
    }

    @Test func `no field says nothing`() {
        let head = HTTPResponseHead(status: 503, fields: [], url: "http://host/")
        #expect(RetryAfter(head: head, now: now) == nil)
    }
}
