import Ferry
import FerryTestSupport
import Foundation
import Testing

extension FixtureServer {
    /// The URL of a path, as apps have it.
    func address(_ path: String) throws -> URL {
        try #require(URL(string: url(path)))
    }

    /// Returns when the answer to a path has been sent as far as its gate.
    func waitForStall(at path: String, request index: Int = 0) async throws {
        try await waitUntil { history in
            let requests = history.requests(to: path)
            return index < requests.count && requests[index].state == .stalled
        }
    }
}

extension SessionRecorder {
    /// Returns when a task has told of as many bytes.
    func waitForBytes(
        _ count: Int64,
        ofTask task: Int = 1,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await wait(sourceLocation: sourceLocation) { calls in
            calls.contains { call in
                guard case .wrote(task, _, let total, _) = call else { return false }
                return total >= count
            }
        }
    }
}

/// Expects a body to throw a `URLError` of that code.
func expectURLError<Value>(
    _ code: URLError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    from body: () async throws -> Value
) async {
    let error = await #expect(throws: URLError.self, sourceLocation: sourceLocation) {
        _ = try await body()
    }
    #expect(error?.code == code, sourceLocation: sourceLocation)
}
