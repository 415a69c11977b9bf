import FerryTestSupport
import Foundation
import PortedDelegates
import Testing

@testable import Ferry

/// A delegate of all kinds.
typealias EveryDelegate = URLSessionDataDelegate & URLSessionDownloadDelegate
    & URLSessionWebSocketDelegate

/// Calls every method of a delegate, as Ferry does: without knowing what it implements.
struct EveryRequirement: Sendable {
    let session: URLSession
    let dataTask: URLSessionDataTask
    let downloadTask: URLSessionDownloadTask
    let webSocketTask: URLSessionWebSocketTask

    /// The methods in one form.
    static let messages = [
        "didBecomeInvalid", "didFinishEvents", "didCreateTask", "taskIsWaitingForConnectivity",
        "didSendBodyData", "didReceiveInformationalResponse", "didFinishCollecting",
        "didComplete", "didBecomeDownloadTask", "didReceiveData", "didFinishDownloading",
        "didWriteData", "didResumeAtOffset", "didOpen", "didClose",
    ]

    /// The methods in two forms.
    static let questions = [
        "sessionChallenge", "willBeginDelayedRequest", "redirection", "taskChallenge",
        "needNewBodyStream", "needNewBodyStreamFrom", "didReceiveResponse", "willCacheResponse",
    ]

    private let url = URL(fileURLWithPath: "/nowhere")
    private var request: URLRequest { URLRequest(url: url) }

    init(delegate: any URLSessionDelegate) throws {
        session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        dataTask = session.dataTask(with: url)
        downloadTask = session.downloadTask(with: url)
        webSocketTask = session.webSocketTask(with: try #require(URL(string: "ws://localhost")))
    }

    func response() throws -> HTTPURLResponse {
        try #require(
            HTTPURLResponse(url: url, statusCode: 302, httpVersion: nil, headerFields: nil)
        )
    }

    func notifyAll(_ delegate: any EveryDelegate) throws {
        let response = try response()
        let metrics = URLSessionTaskMetrics(
            taskInterval: DateInterval(),
            redirectCount: 0,
            transactions: []
        )
        delegate.urlSession(session, didBecomeInvalidWithError: nil)
        delegate.urlSessionDidFinishEvents(forBackgroundURLSession: session)
        delegate.urlSession(session, didCreateTask: dataTask)
        delegate.urlSession(session, taskIsWaitingForConnectivity: dataTask)
        delegate.urlSession(
            session,
            task: dataTask,
            didSendBodyData: 1,
            totalBytesSent: 1,
            totalBytesExpectedToSend: 1
        )
        delegate.urlSession(session, task: dataTask, didReceiveInformationalResponse: response)
        delegate.urlSession(session, task: dataTask, didFinishCollecting: metrics)
        delegate.urlSession(session, task: dataTask, didCompleteWithError: nil)
        delegate.urlSession(session, dataTask: dataTask, didBecome: downloadTask)
        delegate.urlSession(session, dataTask: dataTask, didReceive: Data())
        delegate.urlSession(session, downloadTask: downloadTask, didFinishDownloadingTo: url)
        delegate.urlSession(
            session,
            downloadTask: downloadTask,
            didWriteData: 1,
            totalBytesWritten: 1,
            totalBytesExpectedToWrite: 1
        )
        delegate.urlSession(
            session,
            downloadTask: downloadTask,
            didResumeAtOffset: 1,
            expectedTotalBytes: 1
        )
        delegate.urlSession(session, webSocketTask: webSocketTask, didOpenWithProtocol: nil)
        delegate.urlSession(
            session,
            webSocketTask: webSocketTask,
            didCloseWith: .normalClosure,
            reason: nil
        )
    }
}

// MARK: - Questions

extension EveryRequirement {
    /// The answers of a delegate that has nothing to say.
    func expectDefaults(_ answers: Answers) {
        #expect(answers.session.0 == .performDefaultHandling)
        #expect(answers.delayed.0 == .continueLoading)
        #expect(answers.redirection == request)
        #expect(answers.task.0 == .performDefaultHandling)
        #expect(!answers.hasStream && !answers.hasStreamFrom)
        #expect(answers.response == .allow)
        #expect(answers.cached?.data == Data("cached".utf8))
    }

    /// What a delegate has answered.
    struct Answers {
        var session: (URLSession.AuthChallengeDisposition, URLCredential?)
        var delayed: (URLSession.DelayedRequestDisposition, URLRequest?)
        var redirection: URLRequest?
        var task: (URLSession.AuthChallengeDisposition, URLCredential?)
        var hasStream: Bool
        var hasStreamFrom: Bool
        var response: URLSession.ResponseDisposition
        var cached: CachedURLResponse?
    }

    private struct Questions {
        let response: HTTPURLResponse
        let challenge: URLAuthenticationChallenge
        let cached: CachedURLResponse
    }

    private func questions() throws -> Questions {
        let response = try response()
        let challenge = URLAuthenticationChallenge(
            protectionSpace: URLProtectionSpace(
                host: "localhost",
                port: 80,
                protocol: "http",
                realm: nil,
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic
            ),
            proposedCredential: nil,
            previousFailureCount: 0,
            failureResponse: nil,
            error: nil,
            sender: UnusedChallengeSender()
        )
        let cached = CachedURLResponse(response: response, data: Data("cached".utf8))
        return Questions(response: response, challenge: challenge, cached: cached)
    }

    private func answer<Value: Sendable>(
        _ ask: (@escaping @Sendable (Value) -> Void) -> Void
    ) async -> Value {
        await withCheckedContinuation { continuation in
            ask { continuation.resume(returning: $0) }
        }
    }

    /// Asks by the forms with a completion handler.
    func askAll(_ delegate: any EveryDelegate) async throws -> Answers {
        let questions = try questions()
        return Answers(
            session: await answer { answer in
                delegate.urlSession(session, didReceive: questions.challenge) { answer(($0, $1)) }
            },
            delayed: await answer { answer in
                delegate.urlSession(session, task: dataTask, willBeginDelayedRequest: request) {
                    answer(($0, $1))
                }
            },
            redirection: await answer {
                delegate.urlSession(
                    session,
                    task: dataTask,
                    willPerformHTTPRedirection: questions.response,
                    newRequest: request,
                    completionHandler: $0
                )
            },
            task: await answer { answer in
                delegate.urlSession(session, task: dataTask, didReceive: questions.challenge) {
                    answer(($0, $1))
                }
            },
            hasStream: await answer { answer in
                delegate.urlSession(session, task: dataTask) { answer($0 != nil) }
            },
            hasStreamFrom: await answer { answer in
                delegate.urlSession(session, task: dataTask, needNewBodyStreamFrom: 7) {
                    answer($0 != nil)
                }
            },
            response: await answer {
                delegate.urlSession(
                    session,
                    dataTask: dataTask,
                    didReceive: questions.response,
                    completionHandler: $0
                )
            },
            cached: await answer {
                delegate.urlSession(
                    session,
                    dataTask: dataTask,
                    willCacheResponse: questions.cached,
                    completionHandler: $0
                )
            }
        )
    }

    /// Asks by the `async` forms.
    func askAllAsync(_ delegate: any EveryDelegate) async throws -> Answers {
        let questions = try questions()
        return Answers(
            session: await delegate.urlSession(session, didReceive: questions.challenge),
            delayed: await delegate.urlSession(
                session,
                task: dataTask,
                willBeginDelayedRequest: request
            ),
            redirection: await delegate.urlSession(
                session,
                task: dataTask,
                willPerformHTTPRedirection: questions.response,
                newRequest: request
            ),
            task: await delegate.urlSession(
                session,
                task: dataTask,
                didReceive: questions.challenge
            ),
            hasStream: await delegate.urlSession(session, needNewBodyStreamForTask: dataTask)
                != nil,
            hasStreamFrom: await delegate.urlSession(
                session,
                needNewBodyStreamForTask: dataTask,
                from: 7
            ) != nil,
            response: await delegate.urlSession(
                session,
                dataTask: dataTask,
                didReceive: questions.response
            ),
            cached: await delegate.urlSession(
                session,
                dataTask: dataTask,
                willCacheResponse: questions.cached
            )
        )
    }
}
