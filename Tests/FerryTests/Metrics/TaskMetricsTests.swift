import Ferry
import FerryTestSupport
import Foundation
import Testing

/// Every task's delegate hears once what the task has cost, and then of its end.
@Suite("The metrics of tasks", .timeLimit(.minutes(1)))
struct TaskMetricsTests {
    /// Tasks that end without a server's answer, or without a server.
    enum Case: CaseIterable {
        case schemeOfNobody
        case noURL
        case downloadOfSchemeOfNobody
        case closedPort
        case downloadFromClosedPort
        case cancelledBeforeResumption
        case downloadCancelledBeforeResumption
        case uploadOfMissingFile
        case uploadCancelledBeforeResumption
        case localFile
        case downloadOfLocalFile
        case dataURL
        case appsProtocol
        case appsProtocolFails
        case appsProtocolRedirects
        case socketToClosedPort
        case socketWithoutURL
        case socketCancelledBeforeResumption
        case resumeDataOfNobody

        /// How many transactions are told.
        var transactionCount: Int {
            switch self {
            case .schemeOfNobody, .noURL, .downloadOfSchemeOfNobody, .cancelledBeforeResumption,
                .downloadCancelledBeforeResumption, .uploadOfMissingFile,
                .uploadCancelledBeforeResumption, .socketWithoutURL,
                .socketCancelledBeforeResumption, .resumeDataOfNobody:
                0
            case .closedPort, .downloadFromClosedPort, .localFile, .downloadOfLocalFile, .dataURL,
                .appsProtocol, .appsProtocolFails, .socketToClosedPort:
                1
            case .appsProtocolRedirects:
                2
            }
        }
    }

    private let recorder = DataRecorder()
    private let session: URLSession
    private let closed: FixtureClosedPort

    init() throws {
        _ = Home.path
        closed = try FixtureClosedPort()
        session = recorder.makeSession { $0.protocolClasses = [LoudProtocol.self] }
    }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    private func makeTask(_ kind: Case) throws -> URLSessionTask {
        let port = try url(closed.url("/"))
        let socket = try url("ws" + closed.url("/").dropFirst("http".count))
        var put = URLRequest(url: port)
        put.httpMethod = "PUT"
        var nowhere = put
        nowhere.url = nil
        let file = URL(fileURLWithPath: #filePath)
        switch kind {
        case .schemeOfNobody: return session.dataTask(with: try url("gopher://host/"))
        case .noURL: return session.dataTask(with: nowhere)
        case .downloadOfSchemeOfNobody:
            return session.downloadTask(with: try url("gopher://host/"))
        case .closedPort, .cancelledBeforeResumption: return session.dataTask(with: port)
        case .downloadFromClosedPort, .downloadCancelledBeforeResumption:
            return session.downloadTask(with: port)
        case .uploadOfMissingFile:
            return session.uploadTask(with: put, fromFile: URL(fileURLWithPath: "/nowhere/at/all"))
        case .uploadCancelledBeforeResumption: return session.uploadTask(with: put, from: Data([1]))
        case .localFile: return session.dataTask(with: file)
        case .downloadOfLocalFile: return session.downloadTask(with: file)
        case .dataURL: return session.dataTask(with: try url("data:,123"))
        case .appsProtocol: return session.dataTask(with: try url("loud://host/"))
        case .appsProtocolFails: return session.dataTask(with: try url("loud://host/fail"))
        case .appsProtocolRedirects: return session.dataTask(with: try url("loud://host/moved"))
        case .socketToClosedPort, .socketCancelledBeforeResumption:
            return session.webSocketTask(with: socket)
        case .socketWithoutURL: return session.webSocketTask(with: nowhere)
        case .resumeDataOfNobody: return session.downloadTask(withResumeData: Data([1]))
        }
    }

    @Test(arguments: Case.allCases)
    func `API-5: a task that no server has answered has metrics`(kind: Case) async throws {
        let task = try makeTask(kind)
        switch kind {
        case .cancelledBeforeResumption, .downloadCancelledBeforeResumption,
            .uploadCancelledBeforeResumption, .socketCancelledBeforeResumption:
            task.cancel()
        default:
            task.resume()
        }
        await recorder.waitForEnd()
        let metrics = recorder.story.filter { $0.hasPrefix("metrics") }
        #expect(metrics == ["metrics \(kind.transactionCount)"])
        #expect(recorder.story.suffix(2).first == metrics.first)
    }

    @Test func `API-5: a WebSocket task has metrics of each request`() async throws {
        let server = try await WebSocketServer.start()
        let address = try url(server.url + "/redirect/echo")
        let task = session.webSocketTask(with: address)
        task.resume()
        try await task.send(.string("hello"))
        _ = try await task.receive()
        task.cancel(with: .normalClosure, reason: nil)
        await recorder.waitForEnd()
        #expect(recorder.story == ["metrics 2", "completed"])
        let transactions = try #require(recorder.metrics?.transactionMetrics)
        let statuses = transactions.map { ($0.response as? HTTPURLResponse)?.statusCode }
        #expect(statuses == [307, 101])
        #expect(transactions.map(\.request.url?.path) == ["/redirect/echo", "/echo"])
        #expect(recorder.metrics?.redirectCount == 1)
        #expect(transactions.allSatisfy { $0.fetchStartDate != nil && $0.responseEndDate != nil })
    }

    @Test func `API-5: what an app's protocol object has answered is told`() async throws {
        session.dataTask(with: try url("loud://host/moved")).resume()
        await recorder.waitForEnd()
        let metrics = try #require(recorder.metrics)
        #expect(metrics.redirectCount == 1)
        #expect(metrics.transactionMetrics.map(\.request.url?.path) == ["/moved", "/"])
        #expect(
            metrics.transactionMetrics.map { ($0.response as? HTTPURLResponse)?.statusCode }
                == [302, 200]
        )
        #expect(metrics.transactionMetrics.allSatisfy { $0.resourceFetchType == .unknown })
        #expect(metrics.transactionMetrics.last?.responseEndDate != nil)
    }
}

/// Answers as its paths say.
private final class LoudProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "loud" }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url, let client, let next = URL(string: "loud://host/"),
            let response = HTTPURLResponse(
                url: url,
                statusCode: url.path == "/moved" ? 302 : 200,
                httpVersion: nil,
                headerFields: nil
            )
        else { return }
        switch url.path {
        case "/fail":
            client.urlProtocol(self, didFailWithError: URLError(.dnsLookupFailed))
        case "/moved":
            client.urlProtocol(
                self,
                wasRedirectedTo: URLRequest(url: next),
                redirectResponse: response
            )
        default:
            client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client.urlProtocol(self, didLoad: Data("loud".utf8))
            client.urlProtocolDidFinishLoading(self)
        }
    }

    override func stopLoading() {}
}
