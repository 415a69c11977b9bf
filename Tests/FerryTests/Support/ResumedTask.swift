import Ferry
import Foundation

/// A data task that has been resumed, and what it loads.
struct ResumedTask {
    let task: URLSessionDataTask
    private let results: AsyncThrowingStream<Data, any Error>

    init(of session: URLSession, with url: URL) {
        let (results, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
        self.results = results
        task = session.dataTask(with: url) { data, _, error in
            if error == nil, let data { continuation.yield(data) }
            continuation.finish(throwing: error)
        }
        task.resume()
    }

    var data: Data? {
        get async throws { try await results.first { _ in true } }
    }
}
