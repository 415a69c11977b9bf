import FerryStore
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

/// What a list shows of a transfer besides its bytes.
@Suite(.timeLimit(.minutes(1))) struct SpeedTests {
    typealias Speed = DaemonStateMachine.RunningTask.Speed

    /// The speed after samples of seconds and bytes, at a time.
    private func speed(_ samples: [(Double, Int64)], at seconds: Double) -> Int? {
        var speed = Speed()
        for (second, count) in samples { speed.record(count, at: moment(second)) }
        return speed.bytesPerSecond(at: moment(seconds))
    }

    @Test func `USE-14: a speed is that of the last seconds`() {
        #expect(speed([], at: 1) == nil)
        #expect(speed([(0, 500)], at: 0.1) == nil)
        #expect(speed([(0, 500), (1, 1500)], at: 1) == 1000)
        // Bytes of earlier attempts do not count.
        #expect(speed([(0, 1_000_000), (2, 1_000_200)], at: 2) == 100)
        let steady = (0...100).map { (Double($0) / 10, Int64($0) * 50) }
        #expect(speed(steady, at: 10) == 500)
        // What was fast a minute ago is slow now.
        let slow = steady + (1...600).map { (10 + Double($0) / 10, 5000 + Int64($0)) }
        #expect(speed(slow, at: 70).map { (9...11).contains($0) } == true)
    }

    @Test func `USE-14: a transfer without bytes has no speed, and a new start measures anew`() {
        #expect(speed([(0, 0), (1, 1000)], at: 5) == 0)
        #expect(speed([(0, 5000), (1, 9000), (2, 0)], at: 2.1) == nil)
        #expect(speed([(0, 5000), (1, 9000), (2, 0), (3, 700)], at: 3) == 700)
    }

    @Test func `USE-14: the speed of a running task is told, and of no other`() throws {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client)
        bench.progress(task, 0)
        bench.wait(1)
        bench.progress(task, 2000)
        let record = try #require(bench.stored(task))
        #expect(bench.machine.presentation(of: record, at: bench.now).bytesPerSecond == 2000)
        bench.suspend(client)
        let suspended = try #require(bench.stored(task))
        #expect(bench.machine.presentation(of: suspended, at: bench.now).bytesPerSecond == nil)
    }

    @Test func `a task whose request a damaged disk has changed is told without it`() throws {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        var record = try #require(bench.stored(task))
        let whole = bench.machine.presentation(of: record, at: bench.now)
        #expect(whole.originalRequest == record.request)
        record.request = Encoded(text: record.request.text.dropLast())
        let told = bench.machine.presentation(of: record, at: bench.now)
        #expect(told.originalRequest.value == .unreadable)
        #expect(bench.summaries([record]).map(\.url) == [""])
        #expect(told.id == task.rawValue)
    }

    @Test func `USE-15: the address of a relinked task is told, whether it runs or not`() throws {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client)
        let before = try #require(bench.stored(task))
        #expect(bench.machine.presentation(of: before, at: bench.now).link == nil)
        bench.person { $0.relinkTask(task, to: "http://b/new", from: $1) }
        for _ in 0..<2 {
            let record = try #require(bench.stored(task))
            let told = bench.machine.presentation(of: record, at: bench.now)
            #expect(told.link == "http://b/new")
            #expect(told.originalRequest.value?.url == "http://a/1")
            bench.suspend(client)
        }
    }

    @Test(arguments: [
        (200, "finished, 10 bytes"),
        (404, "the server answered with the error 404, and 10 bytes about it"),
    ])
    func `USE-15: an error page is not logged as a finished file`(status: Int, text: String) {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        bench.input {
            $0.responded(task: task, response: .sample(status), request: .sample())
        }
        bench.finish(task)
        #expect(bench.log.contains(text), "\(bench.log)")
    }
}
