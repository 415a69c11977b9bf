import FerryHTTP
import FerryTransfer
import Foundation
import Testing

@testable import Ferry

/// How a session's fields and a request's own come together.
@Suite(.timeLimit(.minutes(1))) struct RequestTranslationTests {
    private let configuration: URLSessionConfiguration.Values

    init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["Authorization": "secret", "X-App": "session"]
        self.configuration = configuration.snapshot
    }

    @Test(
        arguments: [("https://b/old", nil), ("https://a/old", "secret"), (nil, "secret")]
            as [(String?, String?)]
    )
    func `SEC-2: a new link gets the session's secrets if it leads to the task's own server`(
        own: String?,
        secret: String?
    ) throws {
        let request = try TransferRequest(
            URLRequest(url: #require(URL(string: "https://a/new"))),
            configuration: configuration,
            madeFor: own
        )
        #expect(request.fields.first(named: "Authorization") == secret)
    }

    @Test func `a request's own field comes before the session's`() throws {
        var request = URLRequest(url: try #require(URL(string: "https://a/")))
        request.setValue("own", forHTTPHeaderField: "x-app")
        let completed = request.completed(by: configuration)
        #expect(completed.value(forHTTPHeaderField: "X-App") == "own")
        #expect(completed.value(forHTTPHeaderField: "Authorization") == "secret")
    }
}
