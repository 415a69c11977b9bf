import FerryHTTP
import FerrySystem
import Foundation
import Testing

@testable import Ferry
@testable import FerryTransfer

@Suite("URLSessionTaskTransactionMetrics", .timeLimit(.minutes(5)))
struct TransactionMetricsTests {
    private static let url = "https://host.test/file"
    private let start = Date(timeIntervalSince1970: 1_000_000_000)

    /// All phases, a hundred milliseconds each.
    private var all: HTTPMetrics {
        var metrics = HTTPMetrics(startTime: start.timeIntervalSince1970)
        let times: [WritableKeyPath<HTTPMetrics, Duration?>] = [
            \.lookupStart, \.lookupEnd, \.connectStart, \.secureConnectStart, \.secureConnectEnd,
            \.connectEnd, \.requestStart, \.requestEnd, \.responseStart, \.responseEnd,
        ]
        for (number, time) in times.enumerated() {
            metrics[keyPath: time] = .milliseconds(100 * (number + 1))
        }
        return metrics
    }

    private func transaction(
        _ metrics: HTTPMetrics?,
        fields: [HTTPField] = [],
        sent: [HTTPField] = [],
        status: Int? = 200
    ) -> LoadTransaction {
        let request = TransferRequest(url: Self.url, fields: fields)
        var transaction = LoadTransaction(request: request, sentFields: fields + sent)
        transaction.response = status.map {
            HTTPResponseHead(status: $0, fields: [], url: Self.url)
        }
        transaction.metrics = metrics
        return transaction
    }

    private func dates(_ metrics: URLSessionTaskTransactionMetrics) -> [Date?] {
        [
            metrics.fetchStartDate, metrics.domainLookupStartDate, metrics.domainLookupEndDate,
            metrics.connectStartDate, metrics.secureConnectionStartDate,
            metrics.secureConnectionEndDate, metrics.connectEndDate, metrics.requestStartDate,
            metrics.requestEndDate, metrics.responseStartDate, metrics.responseEndDate,
        ]
    }

    // MARK: - Dates

    @Test func `DL-25: phases have dates`() {
        let metrics = URLSessionTaskTransactionMetrics(transaction(all))
        for (number, date) in dates(metrics).enumerated() {
            let seconds = date.map { $0.timeIntervalSince(start) }
            #expect(seconds.map { ($0 * 1000).rounded() } == Double(number * 100))
        }
        #expect(metrics.resourceFetchType == .networkLoad)
    }

    @Test func `DL-25: on a connection that was there, looking up and connecting have no dates`() {
        var kept = HTTPMetrics(startTime: start.timeIntervalSince1970)
        kept.isReusedConnection = true
        kept.requestStart = .zero
        kept.requestEnd = .milliseconds(1)
        kept.responseStart = .milliseconds(2)
        kept.responseEnd = .milliseconds(3)
        let metrics = URLSessionTaskTransactionMetrics(transaction(kept))
        #expect(metrics.isReusedConnection)
        #expect(dates(metrics)[1...6].allSatisfy { $0 == nil })
        #expect(dates(metrics)[7...].allSatisfy { $0 != nil })
    }

    @Test func `DL-25: where no response came, there is none, and its dates are nil`() {
        var lost = all
        lost.responseStart = nil
        let metrics = URLSessionTaskTransactionMetrics(transaction(lost, status: nil))
        #expect(metrics.response == nil)
        #expect(metrics.requestEndDate != nil)
        #expect(metrics.responseStartDate == nil)
        #expect(metrics.responseEndDate == nil)
        #expect(metrics.networkProtocolName == nil)
    }

    @Test func `DL-25: a response that breaks off has no end`() {
        let metrics = URLSessionTaskTransactionMetrics(transaction(all), hasFailed: true)
        #expect(metrics.responseStartDate != nil)
        #expect(metrics.responseEndDate == nil)
    }

    @Test func `a request without a body ends as it begins`() {
        var bare = all
        bare.requestEnd = nil
        let metrics = URLSessionTaskTransactionMetrics(transaction(bare))
        #expect(metrics.requestEndDate == metrics.requestStartDate)
        bare.sentBodyByteCount = 1
        let early = URLSessionTaskTransactionMetrics(transaction(bare))
        #expect(early.requestEndDate == nil)
    }

    @Test func `a request that never began has neither dates nor counts`() {
        let metrics = URLSessionTaskTransactionMetrics(transaction(nil, status: nil))
        #expect(dates(metrics).allSatisfy { $0 == nil })
        #expect(metrics.countOfRequestHeaderBytesSent == 0)
        #expect(metrics.remoteAddress == nil)
    }

    @Test func `an answer of the cache has the dates of looking`() throws {
        let url = try #require(URL(string: Self.url))
        let response = URLResponse(
            url: url,
            mimeType: nil,
            expectedContentLength: 4,
            textEncodingName: nil
        )
        let metrics = URLSessionTaskTransactionMetrics(
            cached: URLRequest(url: url),
            response: response,
            interval: DateInterval(start: start, duration: 2)
        )
        #expect(metrics.resourceFetchType == .localCache)
        #expect(metrics.response === response)
        #expect(metrics.request.url == url)
        #expect(dates(metrics)[1...6].allSatisfy { $0 == nil })
        #expect(metrics.fetchStartDate == start)
        #expect(metrics.requestStartDate == start)
        #expect(metrics.requestEndDate == start)
        #expect(metrics.responseStartDate == start + 2)
        #expect(metrics.responseEndDate == start + 2)
        #expect(metrics.networkProtocolName == nil)
        #expect(metrics.localPort == nil)
        #expect(!metrics.isReusedConnection)
        #expect(metrics.countOfResponseBodyBytesReceived == 0)
    }

    // MARK: - The rest

    @Test(arguments: [
        ("HTTP/1.0", "http/1.0"), ("HTTP/1.1", "http/1.1"), ("HTTP/2", "h2"), ("HTTP/3", "h3"),
    ])
    func `protocols go by their registered names`(version: String, name: String) {
        var metrics = all
        metrics.version = version
        #expect(URLSessionTaskTransactionMetrics(transaction(metrics)).networkProtocolName == name)
    }

    @Test func `counts and connection are handed on`() {
        var all = all
        all.connection = InternetConnection(
            local: .init(address: "192.0.2.1", port: 40_000),
            remote: .init(address: "2001:db8::1", port: 443)
        )
        all.tls = TLSParameters(version: 0x0303, cipherSuite: 0xc02f)
        all.sentHeaderByteCount = 1
        all.sentBodyByteCount = 2
        all.receivedHeaderByteCount = 3
        all.receivedBodyByteCount = 4
        all.decodedBodyByteCount = 5
        let metrics = URLSessionTaskTransactionMetrics(transaction(all), isProxyConnection: true)
        #expect(metrics.localAddress == "192.0.2.1")
        #expect(metrics.localPort == 40_000)
        #expect(metrics.remoteAddress == "2001:db8::1")
        #expect(metrics.remotePort == 443)
        #expect(metrics.negotiatedTLSProtocolVersion == .TLSv12)
        #expect(metrics.negotiatedTLSCipherSuite == .ECDHE_RSA_WITH_AES_128_GCM_SHA256)
        #expect(metrics.countOfRequestHeaderBytesSent == 1)
        #expect(metrics.countOfRequestBodyBytesSent == 2)
        #expect(metrics.countOfRequestBodyBytesBeforeEncoding == 2)
        #expect(metrics.countOfResponseHeaderBytesReceived == 3)
        #expect(metrics.countOfResponseBodyBytesReceived == 4)
        #expect(metrics.countOfResponseBodyBytesAfterDecoding == 5)
        #expect(metrics.isProxyConnection)
        #expect(!metrics.isReusedConnection)
        #expect(metrics.domainResolutionProtocol == .unknown)
    }

    @Test func `a connection without TLS, or with what Apple does not name, says nothing of it`() {
        let plain = URLSessionTaskTransactionMetrics(transaction(all))
        #expect(plain.negotiatedTLSProtocolVersion == nil)
        #expect(plain.negotiatedTLSCipherSuite == nil)
        var other = all
        other.tls = TLSParameters(version: 0x0399, cipherSuite: 0x1304)
        let unnamed = URLSessionTaskTransactionMetrics(transaction(other))
        #expect(unnamed.negotiatedTLSProtocolVersion == nil)
        #expect(unnamed.negotiatedTLSCipherSuite == nil)
    }

    @Test func `the request has what was sent, but no proofs`() throws {
        let own = [HTTPField(name: "A", value: "1")]
        let sent = [
            HTTPField(name: "Cookie", value: "b=2"),
            HTTPField(name: "Authorization", value: "Basic secret"),
        ]
        var original = URLRequest(url: try #require(URL(string: "https://host.test/first")))
        original.cachePolicy = .reloadIgnoringLocalCacheData
        let metrics = URLSessionTaskTransactionMetrics(
            transaction(all, fields: own, sent: sent),
            originalRequest: original
        )
        #expect(metrics.request.url?.absoluteString == Self.url)
        #expect(metrics.request.cachePolicy == .reloadIgnoringLocalCacheData)
        #expect(metrics.request.allHTTPHeaderFields == ["A": "1", "Cookie": "b=2"])
        let authorized = [HTTPField(name: "Authorization", value: "Bearer own")]
        let kept = URLSessionTaskTransactionMetrics(transaction(all, fields: authorized))
        #expect(kept.request.allHTTPHeaderFields == ["Authorization": "Bearer own"])
    }

    @Test func `a task's metrics are its requests', in order`() {
        let interval = DateInterval(start: start, duration: 3)
        let transactions = [
            URLSessionTaskTransactionMetrics(transaction(all, status: 302)),
            URLSessionTaskTransactionMetrics(transaction(all)),
        ]
        let metrics = URLSessionTaskMetrics(
            taskInterval: interval,
            redirectCount: 1,
            transactions: transactions
        )
        #expect(metrics.taskInterval == interval)
        #expect(metrics.redirectCount == 1)
        #expect(metrics.transactionMetrics == transactions)
        let codes = metrics.transactionMetrics.map { ($0.response as? HTTPURLResponse)?.statusCode }
        #expect(codes == [302, 200])
    }
}
