import FerryHTTP
import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct MetricsTests {
    private static let configuration: Wire.SessionConfiguration = {
        var configuration = Wire.SessionConfiguration.sample
        configuration.collectsMetrics = true
        return configuration
    }()

    private var bench = MachineBench()

    private mutating func collect(
        _ task: TaskID,
        _ url: String,
        status: Int,
        fields: [HTTPField] = [],
        sent: [HTTPField] = []
    ) {
        var metrics = HTTPMetrics(startTime: 1_800_000_000)
        metrics.responseStart = .seconds(0.5)
        metrics.receivedBodyByteCount = 10
        let transaction = LoadTransaction(
            request: TransferRequest(url: url),
            sentFields: sent,
            response: HTTPResponseHead(
                status: status,
                version: "HTTP/1.1",
                fields: fields,
                url: url
            ),
            metrics: metrics,
            conditions: status == 200 ? [.expensiveNetwork, .cellularNetwork] : []
        )
        bench.input { machine in machine.collected(task: task, transaction) }
    }

    private func metrics(
        over stream: CallID
    ) -> [Wire.TaskMetrics?] {
        bench.events[stream]?.filter { $0.kind == .completed }.map { $0.metrics?.value } ?? []
    }

    @Test mutating func `DL-24, DL-25, BG-32: a task ends with what its requests have cost`() throws
    {
        let client = bench.open(configuration: Self.configuration)
        let stream = bench.subscribe(client)
        let task = bench.start(client)
        bench.wait(2)
        let location = HTTPField(name: "Location", value: "/2")
        collect(task, "http://a/1", status: 302, fields: [location])
        collect(task, "http://a/2", status: 200)
        bench.finish(task)
        let metrics = try #require(metrics(over: stream).first ?? nil)
        #expect(metrics.started == moment(0))
        #expect(metrics.ended == moment(2))
        #expect(metrics.redirectCount == 1)
        #expect(metrics.transactions.map(\.isLast) == [false, true])
        #expect(metrics.transactions.map(\.request?.url) == ["http://a/1", nil])
        #expect(metrics.transactions.map(\.response?.status) == [302, nil])
        #expect(metrics.transactions.map(\.responseStart) == [500_000, 500_000])
        #expect(metrics.transactions.map(\.receivedBodyByteCount) == [10, 10])
        #expect(metrics.transactions.map(\.isExpensive) == [nil, true])
        #expect(metrics.transactions.map(\.isCellular) == [nil, true])
        #expect(metrics.transactions.map(\.isConstrained) == [nil, nil])
    }

    @Test mutating func `DL-24: a task that fails, or is cancelled, has metrics, too`() {
        let client = bench.open(configuration: Self.configuration)
        let stream = bench.subscribe(client)
        let task = bench.start(client)
        collect(task, "http://a/1", status: 200)
        bench.fail(task, .badURL)
        bench.start(client, 2)
        bench.cancel(client, 2)
        #expect(metrics(over: stream).map(\.?.transactions.count) == [1, 0])
    }

    @Test mutating func `what has proved who asks is not told`() throws {
        let client = bench.open(configuration: Self.configuration)
        let stream = bench.subscribe(client)
        let task = bench.start(client)
        let proof = HTTPField(name: "Authorization", value: "Basic c2VjcmV0")
        collect(task, "http://a/1", status: 401, sent: [proof])
        collect(task, "http://a/1", status: 200, sent: [proof])
        bench.finish(task)
        let metrics = try #require(metrics(over: stream).first ?? nil)
        #expect(!"\(metrics)".contains("c2VjcmV0"))
    }

    @Test mutating func `nothing is collected for an application that does not want to know`() {
        let client = bench.open()
        let stream = bench.subscribe(client)
        let task = bench.start(client)
        collect(task, "http://a/1", status: 200)
        #expect(bench.machine.running[task]?.transactions.isEmpty == true)
        bench.finish(task)
        #expect(metrics(over: stream) == [nil])
    }
}
