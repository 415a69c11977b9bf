import FerryHTTP
import FerrySystem
import FerryTestSupport
import FerryWire
import FerryWireTestSupport
import Foundation
import Testing

@testable import Ferry

@Suite("Metrics of background sessions", .timeLimit(.minutes(1)))
struct BackgroundMetricsTests {
    private let daemon: ScriptedDaemon
    private let url: URL

    init() async throws {
        daemon = try await ScriptedDaemon.started()
        url = try #require(URL(string: "https://example.com/song"))
    }

    private static func metrics() -> Wire.TaskMetrics {
        let date = Date(timeIntervalSince1970: 2_000_000_000)
        var first = Wire.Transaction(started: date)
        first.request = Wire.Request(
            url: "https://example.com/song",
            method: "GET",
            fields: [],
            idleTimeout: 60
        )
        first.response = Wire.Response(
            status: 302,
            version: "HTTP/1.1",
            fields: [],
            url: "https://example.com/song"
        )
        var last = Wire.Transaction(started: date + 1, isLast: true)
        last.lookupStart = 100_000
        last.lookupEnd = 200_000
        last.connectStart = 250_000
        last.secureConnectStart = 300_000
        last.secureConnectEnd = 350_000
        last.connectEnd = 400_000
        last.requestStart = 420_000
        last.requestEnd = 450_000
        last.responseStart = 500_000
        last.responseEnd = 750_000
        last.isReusedConnection = true
        last.localAddress = "192.0.2.1"
        last.localPort = 40_000
        last.remoteAddress = "2001:db8::1"
        last.remotePort = 443
        last.tlsVersion = 0x0304
        last.tlsCipherSuite = 0x1301
        last.version = "HTTP/2"
        last.receivedBodyByteCount = 5
        last.isExpensive = true
        last.isConstrained = false
        return Wire.TaskMetrics(
            started: date,
            ended: date + 2,
            redirectCount: 1,
            transactions: [first, last]
        )
    }

    private func complete(_ failure: Wire.Failure? = nil) async {
        await LoopActor.run {
            let response = Wire.Response(
                status: 200,
                version: "HTTP/2",
                fields: [],
                url: "https://example.com/song"
            )
            let event = Wire.Event(
                kind: .completed,
                task: 1,
                response: Encoded(response),
                failure: failure,
                metrics: Encoded(Self.metrics())
            )
            daemon.emit(event, in: "tracks")
        }
    }

    private func run(_ delegate: MetricsDelegate) async {
        BackgroundApp(daemon).session(delegate: delegate).downloadTask(with: url).resume()
        await daemon.calls.wait(for: "Resume 1")
        #expect(await daemon.sessions["tracks"]?.configuration.collectsMetrics == true)
    }

    @Test func `DL-24, BG-32: metrics are told once, before the end`() async throws {
        let delegate = MetricsDelegate()
        await run(delegate)
        await complete()
        await delegate.told.wait(until: { $0.last == "completed" })
        #expect(delegate.told.value == ["metrics", "completed"])
        let metrics = try #require(delegate.metrics.value)
        #expect(metrics.redirectCount == 1)
        #expect(metrics.taskInterval.duration == 2)
        #expect(metrics.transactionMetrics.count == 2)
    }

    @Test func `DL-25: each request has its dates, addresses and response`() async throws {
        let delegate = MetricsDelegate()
        await run(delegate)
        await complete()
        await delegate.told.wait(until: { $0.last == "completed" })
        let all = try #require(delegate.metrics.value?.transactionMetrics)
        #expect(all.map { ($0.response as? HTTPURLResponse)?.statusCode } == [302, 200])
        #expect(all.map(\.request.url) == [url, url])
        let last = try #require(all.last)
        let start = try #require(last.fetchStartDate)
        let dates = [
            last.domainLookupStartDate, last.domainLookupEndDate, last.connectStartDate,
            last.secureConnectionStartDate, last.secureConnectionEndDate, last.connectEndDate,
            last.requestStartDate, last.requestEndDate, last.responseStartDate,
        ]
        #expect(
            dates.map { $0?.timeIntervalSince(start) }.map { $0.map { ($0 * 100).rounded() } }
                == [10, 20, 25, 30, 35, 40, 42, 45, 50]
        )
        #expect(last.responseEndDate?.timeIntervalSince(start) == 0.75)
        #expect(last.isReusedConnection)
        #expect(last.localAddress == "192.0.2.1")
        #expect(last.remotePort == 443)
        #expect(last.negotiatedTLSProtocolVersion == .TLSv13)
        #expect(last.negotiatedTLSCipherSuite == .AES_128_GCM_SHA256)
        #expect(last.networkProtocolName == "h2")
        #expect(last.countOfResponseBodyBytesReceived == 5)
        #expect(last.isExpensive)
        #expect(!last.isConstrained)
        #expect(!last.isCellular)
    }

    @Test func `DL-25: a download that has come has its response in its metrics`() async throws {
        let delegate = MetricsDelegate()
        await run(delegate)
        await LoopActor.run {
            let response = Wire.Response(
                status: 200,
                version: "HTTP/2",
                fields: [],
                url: "https://example.com/song"
            )
            let path = Home.path + "/song"
            _ = FileManager.default.createFile(atPath: path, contents: Data([1]))
            daemon.emit(
                Wire.Event(
                    kind: .completed,
                    task: 1,
                    response: Encoded(response),
                    path: path,
                    metrics: Encoded(Self.metrics())
                ),
                in: "tracks"
            )
        }
        await delegate.told.wait(until: { $0.last == "completed" })
        let all = try #require(delegate.metrics.value?.transactionMetrics)
        #expect(all.map { ($0.response as? HTTPURLResponse)?.statusCode } == [302, 200])
    }

    @Test func `DL-25: the response of a request that has failed has no end`() async throws {
        let delegate = MetricsDelegate()
        await run(delegate)
        await complete(Wire.Failure(code: "connectionLost", message: "lost"))
        await delegate.told.wait(until: { $0.last == "completed" })
        #expect(delegate.metrics.value?.transactionMetrics.last?.responseEndDate == nil)
    }
}

/// Takes note of metrics.
private final class MetricsDelegate: NSObject, URLSessionDownloadDelegate {
    let told = Awaited<[String]>([])
    let metrics = Awaited<URLSessionTaskMetrics?>(nil)

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        self.metrics.change { $0 = metrics }
        told.change { $0.append("metrics") }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        told.change { $0.append("completed") }
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {}
}
