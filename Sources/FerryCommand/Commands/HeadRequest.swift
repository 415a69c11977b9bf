import Ferry
import Foundation

/// A request for the header of a response, without its body.
final class HeadRequest: NSObject, URLSessionTaskDelegate {
    private let (metrics, taker) = AsyncStream.makeStream(of: URLSessionTaskMetrics.self)

    /// Makes the request, and follows its redirects.
    ///
    /// - Parameters:
    ///   - request: The request for the file.
    ///   - session: The session in which it is made.
    /// - Returns: The headers of all responses, with the last one's status; the values of secret fields are left out.
    /// - Throws: The error of a request that gets no response.
    static func header(
        for request: URLRequest,
        in session: URLSession
    ) async throws -> (lines: [String], status: Int) {
        var request = request
        if request.httpMethod == "GET" { request.httpMethod = "HEAD" }
        let head = HeadRequest()
        let (_, response) = try await session.data(for: request, delegate: head)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        for await metrics in head.metrics {
            return (Conversation(metrics).responses, status)
        }
        return ([], status)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        taker.yield(metrics)
        taker.finish()
    }
}
