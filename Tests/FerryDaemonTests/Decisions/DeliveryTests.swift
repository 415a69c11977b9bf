import FerryStore
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct DeliveryTests {
    /// A database with events of so many tasks that were cancelled.
    private static func database(endedTasks count: Int64) -> ModelDatabase {
        var database = ModelDatabase()
        database.commit([.sampleSession()])
        for task in 1...count {
            let event = Wire.Event(kind: .completed, task: Int(task))
            database.commit([
                .sampleTask(TaskID(task)),
                .completeTask(.id(TaskID(task)), NewEnd(event: Encoded(event))),
            ])
        }
        return database
    }

    @Test func `what happened before is told first, then that this was all, then the present`() {
        var bench = MachineBench(on: Self.database(endedTasks: 2))
        let client = bench.open(launch: nil)
        let task = bench.start(client, 9)
        bench.input {
            $0.responded(task: task, response: .sample(), request: .sample("http://a/9"))
        }
        bench.progress(task, 5)
        let stream = bench.subscribe(client)
        let events = bench.events[stream] ?? []
        #expect(
            events.map(\.kind) == [.completed, .completed, .response, .progress, .drained]
        )
        #expect(events.map(\.sequence) == [1, 2, nil, nil, nil])
        #expect(events.map(\.task) == [1, 2, 9, 9, nil])
    }

    @Test func `a session without events is told that there are none`() {
        var bench = MachineBench()
        let stream = bench.subscribe(bench.open())
        #expect(bench.events[stream]?.map(\.kind) == [.drained])
    }

    @Test func `many events are read page by page`() {
        var bench = MachineBench(on: Self.database(endedTasks: 11))
        let client = bench.open()
        bench.forgetEffects()
        let stream = bench.subscribe(client)
        #expect(bench.eventReads == [0, 4, 8])
        #expect(bench.events[stream]?.compactMap(\.sequence) == Array(1...11))
        #expect(bench.events[stream]?.last?.kind == .drained)
    }

    @Test func `a full last page is followed by an empty one`() {
        var bench = MachineBench(on: Self.database(endedTasks: 4))
        let client = bench.open()
        bench.forgetEffects()
        let stream = bench.subscribe(client)
        #expect(bench.eventReads == [0, 4])
        #expect(bench.events[stream]?.map(\.kind).last == .drained)
    }

    @Test func `BG-33: events wait until their session is open, and are told as they come`() {
        var bench = MachineBench()
        let client = bench.open()
        let one = bench.start(client, 1)
        let two = bench.start(client, 2)
        bench.disconnect(client)
        bench.finish(one)
        bench.progress(two, 5)
        let again = bench.open(process: 2)
        let stream = bench.subscribe(again)
        #expect(
            bench.events[stream]?.map(\.kind) == [.completed, .progress, .drained]
        )
        bench.finish(two)
        #expect(bench.events[stream]?.compactMap(\.sequence) == [1, 2])
    }

    @Test func `a client is not told less of a download than it was told before`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client)
        bench.progress(task, 50)
        // The next daemon's store knows nothing of those bytes, but the file has them.
        var next = MachineBench(on: bench.database)
        let again = next.open(process: 2)
        let stream = next.subscribe(again)
        #expect(next.loading == [task])
        #expect(next.events[stream]?.map(\.kind) == [.drained])
        next.input { $0.resumed(task: task, offset: 50, expected: 100) }
        next.progress(task, 60)
        next.wait(1)
        let counts = next.events[stream]?.compactMap(\.receivedByteCount) ?? []
        #expect(counts == [60])
    }

    @Test func `who has all events before is told the next ones without a look into the log`() {
        var bench = MachineBench(on: Self.database(endedTasks: 2))
        let client = bench.open()
        let stream = bench.subscribe(client)
        bench.forgetEffects()
        bench.finish(bench.start(client, 8))
        bench.start(client, 9)
        bench.cancel(client, 9)
        #expect(bench.eventReads == [])
        let told = bench.events[stream]?.suffix(2)
        #expect(told?.map(\.sequence) == [3, 4])
        #expect(told?.map(\.kind) == [.completed, .completed])
        // The log has the same.
        let again = bench.subscribe(client)
        #expect(bench.events[again]?.filter { $0.sequence != nil }.suffix(2) == told)
    }

    @Test func `who may lack events that were acknowledged is told the next ones from the log`() {
        var database = Self.database(endedTasks: 2)
        database.commit([.sampleTask(7)])
        for number in Int64(1)...2 { database.commit([.acknowledge(session: 1, sequence: number)]) }
        var bench = MachineBench(on: database)
        let client = bench.open()
        let stream = bench.subscribe(client)
        bench.forgetEffects()
        bench.finish(bench.start(client, 8))
        #expect(bench.eventReads == [0])
        bench.finish(bench.start(client, 9))
        #expect(bench.eventReads == [0])
        #expect(bench.events[stream]?.compactMap(\.sequence) == [3, 4])
    }

    @Test func `an event that comes while others are read is told after them, once`() {
        var bench = MachineBench(on: Self.database(endedTasks: 2))
        let client = bench.open()
        bench.start(client, 9)
        let call = bench.call(client) { $0.subscribe(session: client.sessionID, from: $1) }
        let read = bench.stepHoldingBack()
        bench.finish(3)
        for outcome in read { bench.take(outcome) }
        bench.settle()
        #expect(bench.events[call]?.compactMap(\.sequence) == [1, 2, 3])
    }

    @Test func `a page that was read for an earlier subscription is not taken for a later one`() {
        var bench = MachineBench(on: Self.database(endedTasks: 6))
        let client = bench.open()
        let first = bench.call(client) { $0.subscribe(session: client.sessionID, from: $1) }
        bench.step()
        // The second page of the first subscription is on its way when the other one begins.
        let page = bench.stepHoldingBack()
        let second = bench.call(client) { $0.subscribe(session: client.sessionID, from: $1) }
        for outcome in page { bench.take(outcome) }
        bench.settle()
        #expect(bench.events[first]?.compactMap(\.sequence) == [1, 2, 3, 4])
        #expect(bench.events[second]?.compactMap(\.sequence) == Array(1...6))
        #expect(bench.events[second]?.filter { $0.kind == .drained }.count == 1)
    }

    @Test func `a subscription takes the place of an earlier one`() {
        var bench = MachineBench()
        let client = bench.open()
        let first = bench.subscribe(client)
        let second = bench.subscribe(client)
        #expect(bench.effects.contains(.endSubscription(first)))
        bench.finish(bench.start(client))
        #expect(bench.events[first]?.map(\.kind) == [.drained])
        #expect(bench.events[second]?.contains { $0.kind == .completed } == true)
        // The end of the first is no end of the second.
        bench.input { machine in machine.unsubscribed(first) }
        #expect(bench.machine.sessions[client.sessionID]?.subscriber?.call == second)
    }

    // MARK: Readers that do not read

    @Test func `a client that does not read is sent nothing more, and all of it later`() {
        var bench = MachineBench(on: Self.database(endedTasks: 6))
        let client = bench.open()
        let task = bench.start(client, 9)
        let call = bench.call(client) { $0.subscribe(session: client.sessionID, from: $1) }
        bench.step()
        bench.input { machine in machine.writability(of: call, false) }
        bench.settle()
        let count = bench.events[call]?.count
        bench.progress(task, 5)
        bench.finish(task)
        #expect(bench.events[call]?.count == count)
        bench.input { machine in machine.writability(of: call, true) }
        bench.settle()
        #expect(bench.events[call]?.compactMap(\.sequence) == Array(1...7))
        #expect(bench.events[call]?.filter { $0.kind == .drained }.count == 1)
    }

    @Test func `progress that a client does not read is dropped, not collected`() {
        var bench = MachineBench()
        let client = bench.open()
        let stream = bench.subscribe(client)
        let task = bench.start(client)
        bench.input { machine in machine.writability(of: stream, false) }
        for count: Int64 in 1...9 {
            bench.progress(task, count)
            bench.wait(1)
        }
        bench.input { machine in machine.writability(of: stream, true) }
        bench.progress(task, 10)
        #expect(bench.progressTold(stream) == [10])
    }

    // MARK: Acknowledgements

    @Test func `an event goes when it is acknowledged, a task with its last one`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client)
        bench.finish(task)
        bench.forgetEffects()
        #expect(bench.stored(task) != nil)
        #expect(!bench.effects.contains(.removeFile(task: task)))
        #expect(bench.acknowledge(client, 1) == .done)
        #expect(bench.stored(task) == nil)
        #expect(bench.effects.contains(.removeFile(task: task)))
        #expect(bench.effects.contains(.removed(task: task)))
    }

    @Test func `an acknowledgement is durable before it is answered`() {
        var bench = MachineBench()
        let client = bench.open()
        bench.finish(bench.start(client))
        let acknowledge = Wire.Acknowledge(session: client.session, sequence: 1)
        let call = bench.call(client) { $0.acknowledge(acknowledge, from: $1) }
        #expect(bench.outcomes[call] == nil)
        bench.step()
        #expect(bench.outcomes[call] == .done)
        #expect(bench.database.synchronized.eventKeys.isEmpty)
    }

    @Test func `an acknowledgement once more does no harm`() {
        var bench = MachineBench()
        let client = bench.open()
        bench.finish(bench.start(client, 1))
        bench.finish(bench.start(client, 2))
        #expect(bench.acknowledge(client, 1) == .done)
        #expect(bench.acknowledge(client, 1) == .done)
        #expect(bench.acknowledge(client, 700) == .done)
        #expect(bench.database.current.totals().completedTasks == 1)
    }

    @Test func `what is not acknowledged is told again to the next client`() {
        var bench = MachineBench()
        let client = bench.open()
        bench.finish(bench.start(client, 1))
        bench.finish(bench.start(client, 2))
        _ = bench.subscribe(client)
        bench.acknowledge(client, 1)
        bench.disconnect(client)
        let stream = bench.subscribe(bench.open(process: 2))
        #expect(bench.events[stream]?.map(\.kind) == [.completed, .drained])
    }

    @Test func `what is not acknowledged is told again by the next daemon`() {
        var bench = MachineBench()
        let client = bench.open()
        bench.finish(bench.start(client, 1))
        bench.finish(bench.start(client, 2))
        bench.acknowledge(client, 1)
        var next = MachineBench(on: bench.database)
        let again = next.open()
        let stream = next.subscribe(again)
        #expect(next.events[stream]?.compactMap(\.sequence) == [2])
        next.acknowledge(again, 2)
        next.disconnect(again)
        #expect(next.database.current.isEmpty)
    }
}

extension MachineBench {
    /// After which events the store was asked for more.
    var eventReads: [Int64] {
        effects.compactMap { effect in
            if case .query(.events(_, let sequence, _, _)) = effect { sequence } else { nil }
        }
    }
}
