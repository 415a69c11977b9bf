import FerryHTTP
import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FerryWireTestSupport
import Testing

@testable import FerryDaemon

/// What is known of a transfer while it runs, and what becomes of it.
@Suite(.timeLimit(.minutes(5))) struct RunningTaskTests {
    private var bench = MachineBench()

    private mutating func respond(_ task: TaskID, _ status: Int = 200) {
        bench.input {
            $0.responded(
                task: task,
                response: .sample(status),
                request: .sample("http://a/1")
            )
        }
    }

    @Test mutating func `the end of a task has the response that came last`() {
        let client = bench.open()
        let task = bench.start(client)
        let stream = bench.subscribe(client)
        respond(task)
        bench.fail(task, .badServerResponse)
        let end = bench.events[stream]?.last
        #expect(end?.kind == .completed)
        #expect(end?.response?.value?.status == 200)
    }

    @Test mutating func `a response is in the store as soon as bytes of it are`() {
        let client = bench.open()
        let task = bench.start(client)
        respond(task)
        bench.input { machine in machine.checkpointed(task: task, [1]) }
        bench.settle()
        #expect(bench.stored(task)?.response?.value?.status == 200)
        #expect(bench.stored(task)?.checkpoint == [1])
    }

    @Test mutating func `options that are set while a transfer runs hold for its next failure`() {
        let client = bench.open()
        let task = bench.start(client)
        let options = Wire.TransferOptions(retry: Wire.RetryRules(maximumAttempts: 1))
        let set = Wire.SetOptions(session: client.session, identifier: 1, options: options)
        #expect(bench.settledCall(client) { $0.setOptions(set, from: $1) } == .done)
        bench.fail(task, .connectionLost)
        #expect(bench.stored(task)?.state == .completed)
    }

    @Test mutating func `a task that ends while it waits for an answer gives no place back twice`()
    {
        bench.wait(5)
        let client = bench.open(configuration: .asking)
        let asking = bench.start(client, 1)
        let other = bench.start(client, 2)
        #expect(bench.machine.running.budget.count == 2)
        bench.challenge(asking)
        #expect(bench.machine.running.budget.count == 1)
        bench.cancel(client, 1)
        #expect(bench.loading == [other])
        #expect(bench.machine.running.budget.count == 1)
        bench.finish(other)
        #expect(bench.machine.running.budget.count == 0)
    }

    @Test mutating func `hosts that failed are asked again when there is a network again`() {
        let client = bench.open()
        let task = bench.start(client)
        let line = HostBreaker.Line(application: 1, host: "a:80")
        for _ in 0..<HostBreaker.threshold {
            bench.fail(task, .cannotConnectToHost)
            bench.wait(400)
        }
        bench.fail(task, .cannotConnectToHost)
        #expect(bench.machine.breaker.end(line, at: bench.now) != nil)
        bench.input { $0.connectivityChanged(to: .disconnected) }
        bench.input { $0.connectivityChanged(to: .connected) }
        #expect(bench.machine.breaker.end(line, at: bench.now) == nil)
    }
}
