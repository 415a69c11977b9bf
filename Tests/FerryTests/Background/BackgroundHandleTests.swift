import Ferry
import Foundation
import Glibc
import Testing

@Suite("Handles of background sessions", .timeLimit(.minutes(1)))
struct BackgroundHandleTests {
    @Test func `API-27: a session that is there already is reported once an identifier`()
        async throws
    {
        let result = try await #require(
            processExitsWith: .exitCode(0),
            observing: [\.standardErrorContent]
        ) {
            _ = Home.path
            for identifier in ["one", "two"] {
                for _ in 0..<5 {
                    _ = URLSession(
                        configuration: .background(withIdentifier: identifier),
                        delegate: WebSocketRecorder(),
                        delegateQueue: nil
                    )
                }
            }
            // Without waiting for the daemon.
            _exit(0)
        }
        let lines = String(decoding: result.standardErrorContent, as: UTF8.self).split(
            separator: "\n"
        )
        for identifier in ["one", "two"] {
            let words = "A background URLSession with identifier \(identifier) already exists!"
            #expect(lines.filter { $0 == "Ferry: " + words }.count == 1)
        }
    }
}
