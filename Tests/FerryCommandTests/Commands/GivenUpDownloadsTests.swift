import Ferry
import FerryTestSupport
import Foundation
import Testing

@testable import FerryCommand

/// Which download a command continues.
@Suite(.timeLimit(.minutes(5))) struct GivenUpDownloadsTests {
    private let directory: TemporaryDirectory
    private let givenUp: GivenUpDownloads

    init() throws {
        directory = try TemporaryDirectory()
        givenUp = GivenUpDownloads(environment: ["XDG_STATE_HOME": directory.path])
    }

    private func request(
        _ url: String = "https://example.org/a",
        _ fields: [String: String] = ["Authorization": "old", "Accept": "text/plain"]
    ) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: url)))
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    private func keep(_ text: String, of request: URLRequest, task: Int = 1) throws {
        let id = TransferRow.ID(application: "ferry", session: "get-1", taskIdentifier: task)
        try givenUp.keep(Data(text.utf8), of: request, id: id)
    }

    @Test(
        arguments: [
            ("https://example.org/b", ["Authorization": "old", "Accept": "text/plain"]),
            ("https://example.org/a?b", ["Authorization": "old", "Accept": "text/plain"]),
            ("http://example.org/a", ["Authorization": "old", "Accept": "text/plain"]),
            ("https://example.org/a", ["Authorization": "new", "Accept": "text/plain"]),
            ("https://example.org/a", ["Authorization": "old", "Accept": "text/html"]),
            ("https://example.org/a", ["Authorization": "old"]), ("https://example.org/a", [:]),
            (
                "https://example.org/a",
                ["Authorization": "old", "Accept": "text/plain", "Cookie": "a=b"]
            ),
        ] as [(String, [String: String])]
    )
    func `KEEP-2: another address, or another field, is another request`(
        url: String,
        fields: [String: String]
    ) throws {
        let (same, other) = (try request(), try request(url, fields))
        try keep("first", of: same)
        #expect(givenUp.take(for: other) == nil)
        #expect(givenUp.take(for: same) == Data("first".utf8))
    }

    @Test(arguments: [[:], ["Accept": "text/plain"]] as [[String: String]])
    func `KEEP-2: what was given up is continued once`(fields: [String: String]) throws {
        let same = try request("https://example.org/a", fields)
        #expect(givenUp.take(for: same) == nil)
        try keep("first", of: same)
        // What is told again changes nothing.
        try keep("first", of: same)
        try keep("second", of: same, task: 2)
        #expect(givenUp.take(for: same) == Data("first".utf8))
        #expect(givenUp.take(for: same) == Data("second".utf8))
        #expect(givenUp.take(for: same) == nil)
    }
}
