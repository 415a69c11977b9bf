import FerryHTTP
import FerryStore
import FerryTransfer
import FerryWire
import FerryWireTestSupport
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct EndingTests {
    @Test func `BG-32: one event reports a complete download, with its file`() throws {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        bench.input {
            $0.responded(task: task, response: .sample(), request: .sample())
        }
        bench.finish(task, byteCount: 12)
        let events = bench.database.synchronized.events(session: 1, after: 0, limit: 9)
            .compactMap(\.sent)
        try #require(events.map(\.kind) == [.completed])
        #expect(events[0].path == "/\(task)")
        #expect(events[0].receivedByteCount == 12)
        #expect(events[0].failure == nil)
        #expect(events[0].response?.value?.status == 200)
        #expect(bench.stored(task)?.state == .completed)
        #expect(bench.loading.isEmpty)
        #expect(bench.effects.contains(.seal(task: task)))
    }

    @Test func `BG-19: an error page is a download that succeeds`() {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        bench.input {
            $0.responded(task: task, response: .sample(404), request: .sample())
        }
        bench.finish(task)
        let events = bench.database.current.events(session: 1, after: 0, limit: 2)
            .compactMap(\.sent)
        #expect(events.first?.response?.value?.status == 404)
        #expect(events.last?.kind == .completed)
        #expect(events.last?.failure == nil)
    }

    @Test func `BG-7: the request after redirects is told`() throws {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        let redirected = Wire.Request.sample("http://b/2")
        bench.input {
            $0.responded(task: task, response: .sample(), request: redirected)
        }
        bench.finish(task)
        let record = try #require(bench.stored(task))
        #expect(
            bench.machine.presentation(of: record, at: bench.now).currentRequest?.value
                == redirected
        )
        let finished = bench.database.current.events(session: 1, after: 0, limit: 1).first
        #expect(finished?.sent?.request == redirected)
    }

    @Test func `a task that ends while it is read to be cancelled has no resume data`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client)
        bench.resumeData[task] = Data([1])
        let cancel = Wire.CancelProducingResumeData(session: client.session, identifier: 1)
        let call = bench.call(client) { $0.cancelProducingResumeData(cancel, from: $1) }
        let answers = bench.stepHoldingBack()
        bench.finish(task)
        bench.forgetEffects()
        for answer in answers { bench.take(answer) }
        bench.settle()
        #expect(bench.outcomes[call] == .answer(.resumeData(nil)))
        #expect(!bench.effects.contains { if case .commit = $0 { true } else { false } })
        #expect(bench.stored(task)?.lastError == nil)
        #expect(bench.machine.readings.isEmpty)
    }

    @Test func `a task that changes while it is read to be cancelled is read again`() {
        var bench = MachineBench()
        let client = bench.open()
        bench.start(client)
        bench.makesNoResumeData = true
        let cancel = Wire.CancelProducingResumeData(session: client.session, identifier: 1)
        _ = bench.call(client) { $0.cancelProducingResumeData(cancel, from: $1) }
        let set = Wire.SetDescription(
            session: client.session,
            identifier: 1,
            description: "renamed"
        )
        _ = bench.call(client) { $0.setDescription(set, from: $1) }
        bench.settle()
        let records = bench.effects.compactMap { effect -> TaskRecord? in
            guard case .makeResumeData(let record, _) = effect else { return nil }
            return record
        }
        #expect(records.map(\.description) == ["renamed"])
    }

    @Test func `what a transfer still says when it has ended is not heard`() {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        bench.finish(task)
        let late = [
            bench.input { $0.finished(task: task, byteCount: 1, path: "/") },
            bench.input { $0.failed(task: task, .sample(.connectionLost)) },
            bench.progress(task, 1),
            bench.input { $0.resumed(task: task, offset: 1, expected: 2) },
            bench.input { machine in machine.checkpointed(task: task, []) },
            bench.input {
                $0.responded(task: task, response: .sample(), request: .sample())
            },
        ]
        #expect(late.joined().isEmpty)
    }

    // MARK: Cancelling

    @Test(arguments: [false, true])
    func `DL-17: a task that is cancelled ends, whether it runs or not`(_ isRunning: Bool) {
        var bench = MachineBench()
        let client = bench.open()
        let task = isRunning ? bench.start(client) : bench.create(client)
        #expect(bench.cancel(client) == .done)
        #expect(bench.loading.isEmpty)
        #expect(bench.lastEvent?.failure?.code == "cancelled")
        #expect(bench.lastEvent?.resumeData == nil)
        #expect(bench.effects.contains(.discardFile(task: task)))
        #expect(bench.resume(client) == .done)
        #expect(bench.stored(task)?.state == .completed)
    }

    @Test func `a cancellation is durable before it is acknowledged`() {
        var bench = MachineBench()
        let client = bench.open()
        bench.start(client)
        let cancel = Wire.Cancel(session: client.session, identifier: 1)
        let call = bench.call(client) { $0.cancel(cancel, from: $1) }
        while bench.outcomes[call] == nil, bench.hasWork {
            #expect(bench.database.synchronized.tasks[1]?.record.state != .completed)
            bench.step()
        }
        #expect(bench.database.synchronized.tasks[1]?.record.state == .completed)
    }

    @Test func `a second cancellation waits for the first to be durable`() {
        var bench = MachineBench()
        let client = bench.open()
        bench.start(client)
        let cancel = Wire.Cancel(session: client.session, identifier: 1)
        let first = bench.call(client) { $0.cancel(cancel, from: $1) }
        let second = bench.call(client) { $0.cancel(cancel, from: $1) }
        bench.step()
        bench.step()
        #expect(bench.outcomes[first] == nil && bench.outcomes[second] == nil)
        bench.settle()
        #expect(bench.outcomes[first] == .done && bench.outcomes[second] == .done)
        #expect(bench.database.current.totals().completedTasks == 1)
    }

    @Test func `a cancellation that comes while a download is stored waits for that`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client)
        bench.input { $0.finished(task: task, byteCount: 1, path: "/") }
        let cancel = Wire.Cancel(session: client.session, identifier: 1)
        let call = bench.call(client) { $0.cancel(cancel, from: $1) }
        let commit = bench.stepHoldingBack()
        bench.settle()
        #expect(bench.outcomes[call] == .done, "the store says that it has ended")
        for outcome in commit { bench.take(outcome) }
        #expect(bench.lastEvent?.failure == nil)
        #expect(bench.machine.endings.isEmpty && bench.machine.running.isEmpty)
    }

    @Test func `a cancellation of what has ended is no error`() {
        var bench = MachineBench()
        let client = bench.open()
        bench.finish(bench.start(client))
        #expect(bench.cancel(client) == .done)
        #expect(bench.cancel(client, 77) == .done)
        #expect(bench.database.current.totals().completedTasks == 1)
    }

    @Test func `a cancellation that cannot be stored fails, and its task goes on`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client)
        let cancel = Wire.Cancel(session: client.session, identifier: 1)
        let call = bench.call(client) { $0.cancel(cancel, from: $1) }
        bench.step()
        bench.failure = .model(.diskFull)
        bench.settle()
        bench.failure = nil
        #expect(bench.outcomes[call]?.isStoreUnavailable == true)
        #expect(bench.stored(task)?.state == .waiting)
        // The search was refused as well; it is made again.
        bench.wait(11)
        #expect(bench.loading == [task])
    }

    @Test func `RD-3: a task that is cancelled for later has its resume data in both places`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client)
        bench.resumeData[task] = Data([4, 2])
        let cancel = Wire.CancelProducingResumeData(session: client.session, identifier: 1)
        let outcome = bench.settledCall(client) { $0.cancelProducingResumeData(cancel, from: $1) }
        #expect(outcome == .answer(.resumeData(Data([4, 2]))))
        #expect(bench.lastEvent?.failure?.code == "cancelled")
        #expect(bench.lastEvent?.resumeData == Data([4, 2]))
    }

    @Test func `resume data is made when the transfer has stopped`() throws {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client)
        bench.forgetEffects()
        let cancel = Wire.CancelProducingResumeData(session: client.session, identifier: 1)
        bench.settledCall(client) { $0.cancelProducingResumeData(cancel, from: $1) }
        let stop = try #require(bench.effects.firstIndex(of: .stop(task: task)))
        let making = bench.effects.firstIndex { effect in
            if case .makeResumeData = effect { true } else { false }
        }
        let last = try #require(making)
        #expect(stop < last)
    }

    @Test func `a file moves to its resume data when the end is stored, and before it is told`()
        throws
    {
        var bench = MachineBench()
        let client = bench.open()
        let stream = bench.subscribe(client)
        let task = bench.start(client)
        bench.resumeData[task] = Data([4, 2])
        let cancel = Wire.CancelProducingResumeData(session: client.session, identifier: 1)
        let call = bench.call(client) { $0.cancelProducingResumeData(cancel, from: $1) }
        let move = DaemonStateMachine.Effect.keepFile(task: task, resumeData: Data([4, 2]))
        while !bench.effects.contains(move), bench.hasWork {
            #expect(bench.outcomes[call] == nil)
            #expect(bench.events[stream]?.last?.kind != .completed)
            bench.step()
        }
        #expect(bench.database.synchronized.tasks[task]?.record.state == .completed)
        bench.settle()
        let moved = try #require(bench.effects.firstIndex(of: move))
        let answered = bench.effects.firstIndex(of: .answer(call, .resumeData(Data([4, 2]))))
        #expect(moved < (try #require(answered)))
        #expect(bench.events[stream]?.last?.resumeData == Data([4, 2]))
        #expect(!bench.effects.contains(.discardFile(task: task)))
    }

    @Test func `a task whose end cannot be stored keeps its file`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client)
        bench.resumeData[task] = Data([4, 2])
        let cancel = Wire.CancelProducingResumeData(session: client.session, identifier: 1)
        _ = bench.call(client) { $0.cancelProducingResumeData(cancel, from: $1) }
        bench.step()
        bench.failure = .model(.diskFull)
        bench.settle()
        bench.failure = nil
        let isMoved = bench.effects.contains { effect in
            if case .keepFile = effect { true } else { false }
        }
        #expect(!isMoved && !bench.effects.contains(.discardFile(task: task)))
        bench.wait(11)
        #expect(bench.loading == [task])
    }

    @Test func `a task does not run again while it ends`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client)
        bench.forgetEffects()
        bench.fail(task, .certificateUntrusted)
        #expect(bench.startedTasks.isEmpty)
        #expect(bench.stored(task)?.state == .completed)
    }

    @Test func `a person cancels a task`() {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        #expect(bench.person { $0.cancelTask(task, from: $1) } == .done)
        #expect(bench.lastEvent?.failure?.code == "cancelled")
        let outcome = bench.person { $0.cancelTask(999, from: $1) }
        #expect(outcome == .refusal(.taskNotFound(id: 999)))
    }

    @Test func `the end of one task lets the next one run`() {
        var bench = MachineBench()
        let client = bench.open()
        let tasks = (1...3).map { bench.start(client, $0) }
        #expect(bench.loading == [tasks[0], tasks[1]])
        bench.finish(tasks[0])
        #expect(bench.loading == [tasks[1], tasks[2]])
    }

    // MARK: Tasks that have ended and that nobody takes note of

    @Test func `API-18: a person has a finished task of a program that is gone forgotten`() {
        var bench = MachineBench()
        let client = bench.open(launch: nil)
        let task = bench.start(client)
        bench.finish(task)
        bench.disconnect(client)
        #expect(bench.stored(task)?.state == .completed)
        bench.forgetEffects()
        #expect(bench.person { $0.cancelTask(task, from: $1) } == .done)
        #expect(bench.stored(task) == nil)
        #expect(bench.effects.contains(.discardFile(task: task)))
        #expect(bench.effects.contains(.removed(task: task)))
        // Nothing is left of the program either.
        #expect(bench.database.current.applications.isEmpty)
        let again = bench.person { $0.cancelTask(task, from: $1) }
        #expect(again == .refusal(.taskNotFound(.id(task))))
    }

    @Test func `API-18: a finished task whose program is there is that program's`() {
        var bench = MachineBench()
        bench.wait(5)
        let client = bench.open()
        let task = bench.start(client)
        bench.finish(task)
        #expect(bench.person { $0.cancelTask(task, from: $1) } == .done)
        bench.disconnect(client)
        // It is being started.
        #expect(bench.person { $0.cancelTask(task, from: $1) } == .done)
        #expect(bench.stored(task)?.state == .completed)
    }

    @Test func `API-18: a task that cannot be forgotten is said to be there`() {
        var bench = MachineBench()
        let client = bench.open(launch: nil)
        let task = bench.start(client)
        bench.finish(task)
        bench.disconnect(client)
        let person = bench.connect(process: 9)
        let call = bench.call(person) { $0.cancelTask(task, from: $1) }
        bench.step()
        bench.failure = .model(.diskFull)
        bench.settle()
        #expect(
            bench.outcomes[call] == .refusal(.storeUnavailable(reason: "the model says diskFull"))
        )
        #expect(bench.stored(task) != nil)
    }
}

extension MachineBench {
    /// The last event in the log.
    var lastEvent: Wire.Event? {
        let store = database.current
        return store.eventKeys.last.flatMap { store.ended($0) }
            .flatMap { store.event(ofTask: $0.id) }
    }
}
