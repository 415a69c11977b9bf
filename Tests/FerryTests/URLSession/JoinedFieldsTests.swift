import FerryHTTP
import Foundation
import FoundationNetworking
import Testing

@testable import Ferry

@Suite("Fields of a response that are repeated", .timeLimit(.minutes(1)))
struct JoinedFieldsTests {
    @Test(
        arguments: [
            ([("A", "1"), ("B", "2")], ["A": "1", "B": "2"]),
            ([("A", "1"), ("A", "2")], ["A": "1, 2"]),
            ([("A", "1"), ("B", "3"), ("a", "2"), ("A", "")], ["A": "1, 2, ", "B": "3"]),
            ([("X-É", "1"), ("X-É", "2")], ["X-É": "1, 2"]),
            ([("X-É", "1"), ("X-E\u{301}", "2")], ["X-É": "1, 2"]),
            ([("X-É", "1"), ("X-é", "2")], ["X-É": "1, 2"]),
        ],
        [0, 20]
    )
    func `their values are joined, in a response of few fields and of many`(
        fields: ([(String, String)], [String: String]),
        moreCount: Int
    ) throws {
        let own = fields.0.map { HTTPField(name: $0.0, value: $0.1) }
        let more = (0..<moreCount).map { HTTPField(name: "X-\($0)", value: "") }
        let head = HTTPResponseHead(status: 200, fields: own + more, url: "http://a/")
        let response = try #require(HTTPURLResponse.make(head))
        #expect(response.allHeaderFields.count == fields.1.count + moreCount)
        for (name, value) in fields.1 {
            #expect(response.value(forHTTPHeaderField: name) == value)
        }
    }
}
