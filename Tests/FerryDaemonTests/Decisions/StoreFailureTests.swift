import FerryStore
import FerryTransfer
import FerryWire
import FerryWireTestSupport
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct StoreFailureTests {
    private typealias Continuation = DaemonStateMachine.Continuation

    private static let full = StoreError.model(.diskFull)

    // MARK: Commits

    @Test(arguments: [StoreError.Code.diskFull, .inputOutput, .corrupt, .closed])
    func `a client is told that the queue cannot be written, and nothing has changed`(
        _ code: StoreError.Code
    ) {
        var bench = MachineBench()
        let client = bench.open()
        bench.start(client)
        let before = bench.database.current.allApplications()
        bench.failure = .model(code)
        let create = Wire.CreateDownload.sample(client.session, 2)
        let acknowledge = Wire.Acknowledge(session: 1, sequence: 1)
        let outcomes = [
            bench.settledCall(bench.connect()) { $0.openSession(.sample("new"), from: $1) },
            bench.settledCall(client) { $0.createDownload(create, from: $1) },
            bench.suspend(client),
            bench.settledCall(client) { $0.acknowledge(acknowledge, from: $1) },
            bench.person { $0.pauseTask(1, from: $1) },
            bench.person { $0.removeHook("app", from: $1) },
            bench.person { $0.quitApplication("app", from: $1) },
        ]
        for outcome in outcomes {
            #expect(
                outcome == .refusal(.storeUnavailable(reason: "the model says \(code.rawValue)"))
            )
        }
        #expect(bench.loading == [1])
        #expect(bench.database.current.allApplications() == before)
        #expect(bench.machine.sessions.openings.isEmpty && bench.machine.creations.isEmpty)
        #expect(bench.machine.operationCount == 0)
    }

    @Test func `a session that has gone is closed, though its tasks could not be looked for`() {
        var bench = MachineBench()
        let client = bench.open()
        let close = Wire.CloseSession(session: client.session, cancel: true)
        let call = bench.call(client) { $0.closeSession(close, from: $1) }
        bench.input { $0.closed(client.sessionID) }
        bench.failure = .model(.inputOutput)
        bench.step()
        #expect(bench.outcomes[call] == .answer(.done))
        #expect(bench.machine.endings.isEmpty)
    }

    @Test(arguments: [
        (Continuation.nothing, true),
        (.backedOff(task: 1), true),
        (.awaitingNetwork(task: 1), true),
        (.moved(task: 1), true),
        (.launching(application: 1, session: "s"), true),
        (.ended(task: 1, DaemonStateMachine.Ending(), resumeData: nil, NewEnd(event: [])), true),
        (.ended(task: 1, .cancelled(for: .call(1)), resumeData: nil, NewEnd(event: [])), false),
        (.ended(task: 1, .cancelled(for: .sweep(1)), resumeData: nil, NewEnd(event: [])), false),
        (.call(1, about: .id(1)), false),
        (.opened(1, 1, process: 1), false),
        (.created(1), false),
        (.acknowledged(1, session: 1), false),
        (.quit(1, application: 1), false),
        (.hookRemoved(1, application: 1), false),
    ])
    private func `what has happened is written later, what is wanted fails now`(
        _ continuation: DaemonStateMachine.Continuation,
        _ isRetried: Bool
    ) {
        #expect(continuation.isRetried == isRetried)
    }

    @Test(arguments: [Continuation.closed(session: 1), .applicationForgotten(1)])
    private func `a deletion is not made later, when its object may be in use again`(
        _ continuation: DaemonStateMachine.Continuation
    ) {
        #expect(!continuation.isRetried)
    }

    @Test func `only some failures pass by themselves`() {
        let transient = StoreError.Code.allCases.filter { StoreError.model($0).isTransient }
        #expect(transient == [.diskFull, .inputOutput, .outOfMemory])
    }

    @Test func `a session that could not be deleted is there, and goes the next time`() {
        var bench = MachineBench()
        let client = bench.open()
        bench.input { $0.disconnected(client.connection) }
        bench.step()
        bench.failure = Self.full
        bench.settle()
        bench.failure = nil
        #expect(bench.machine.sessions.ids.sorted() == [1])
        bench.wait(10)
        #expect(bench.hasExited)
        let next = MachineBench(on: bench.database, at: bench.now)
        #expect(next.database.current.isEmpty)
        #expect(next.machine.applications.isEmpty)
    }

    @Test func `a session that could not be deleted can be opened`() {
        var bench = MachineBench()
        let client = bench.open()
        bench.input { $0.disconnected(client.connection) }
        bench.step()
        bench.failure = Self.full
        bench.settle()
        bench.failure = nil
        let again = bench.open(process: 2)
        #expect(again.session == client.session)
        #expect(bench.create(again) == 1)
    }

    @Test func `a task that ended but vanished from the store takes no place`() {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        bench.database.commit([.deleteTask(id: task)])
        bench.finish(task)
        #expect(bench.loading.isEmpty)
        #expect(bench.machine.running.isEmpty && bench.machine.endings.isEmpty)
        #expect(bench.machine.running.budget.free == 4)
    }

    @Test func `a start that could not be noted does not happen`() {
        var bench = MachineBench()
        bench.wait(5)
        let client = bench.open()
        bench.finish(bench.start(client))
        bench.input { $0.disconnected(client.connection) }
        while !bench.machine.applications.values.contains(where: \.isLaunching) { bench.step() }
        bench.failure = .model(.corrupt)
        bench.settle()
        bench.failure = nil
        #expect(bench.launches.isEmpty)
        bench.wait(1)
        #expect(bench.launches == ["session"])
    }

    // MARK: Queries

    @Test func `a search that fails is made again`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.create(client)
        let resume = Wire.Resume(session: client.session, identifier: 1)
        _ = bench.call(client) { $0.resume(resume, from: $1) }
        bench.step()
        bench.failure = .model(.inputOutput)
        bench.settle()
        bench.failure = nil
        #expect(bench.loading.isEmpty)
        bench.wait(10)
        #expect(bench.loading == [task])
    }

    @Test func `a daemon does not end before it has searched again`() {
        var bench = MachineBench()
        let client = bench.open(launch: nil)
        bench.create(client)
        bench.failure = .model(.inputOutput)
        bench.input { $0.timerFired(.retry) }
        bench.settle()
        bench.failure = nil
        bench.disconnect(client)
        bench.wait(9)
        #expect(!bench.hasExited)
    }

    @Test func `events that cannot be read end the subscription`() {
        var bench = MachineBench()
        let client = bench.open()
        bench.failure = .model(.inputOutput)
        let stream = bench.subscribe(client)
        bench.failure = nil
        #expect(bench.outcomes[stream]?.isStoreUnavailable == true)
        let again = bench.subscribe(client)
        #expect(bench.events[again]?.map(\.kind) == [.drained])
    }

    @Test func `a failure to read for an earlier subscription does not end a later one`() {
        var bench = MachineBench()
        let client = bench.open()
        let first = bench.call(client) { $0.subscribe(session: client.sessionID, from: $1) }
        bench.failure = .model(.inputOutput)
        let failed = bench.stepHoldingBack()
        bench.failure = nil
        let second = bench.call(client) { $0.subscribe(session: client.sessionID, from: $1) }
        for outcome in failed { bench.take(outcome) }
        bench.settle()
        #expect(bench.outcomes[second] == nil)
        #expect(bench.events[second]?.map(\.kind) == [.drained])
        #expect(bench.events[first] == nil)
    }

    @Test func `a task that cannot be read cannot be cancelled`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client)
        bench.failure = .model(.inputOutput)
        let outcome = bench.cancel(client)
        bench.failure = nil
        #expect(outcome?.isStoreUnavailable == true)
        #expect(bench.loading == [task])
        #expect(bench.machine.endings.isEmpty)
    }

    @Test func `deadlines that cannot be read are read later`() {
        var bench = MachineBench()
        bench.start(bench.open(configuration: .timed(10)))
        bench.now = moment(10)
        bench.failure = .model(.inputOutput)
        bench.input { $0.timerFired(.deadline) }
        bench.settle()
        bench.failure = nil
        bench.wait(10)
        #expect(bench.lastEvent?.failure?.code == "resourceTimedOut")
    }

    @Test func `deadlines that cannot be read at the start are read later`() {
        var database = ModelDatabase()
        database.commit([
            .sampleSession(), .sampleTask(1),
            .resumeTask(.id(1), at: moment(0), resourceTimeout: 5),
        ])
        var bench = MachineBench(on: database, failing: .model(.inputOutput))
        bench.failure = nil
        bench.wait(11)
        #expect(bench.lastEvent?.failure?.code == "resourceTimedOut")
    }

    @Test func `a session that cannot be counted is counted later`() {
        var bench = MachineBench()
        bench.wait(5)
        let client = bench.open()
        bench.finish(bench.start(client))
        bench.failure = .model(.inputOutput)
        bench.disconnect(client)
        bench.failure = nil
        #expect(bench.launches.isEmpty)
        bench.wait(9)
        #expect(!bench.hasExited, "something may depend on it")
        bench.wait(1)
        #expect(bench.launches == ["session"])
    }

    @Test func `an application is not started before its events are counted again`() {
        var (bench, task) = RelaunchTests.bench()
        bench.finish(task)
        bench.failure = .model(.inputOutput)
        bench.ended(application: 1)
        bench.failure = nil
        bench.disconnect(bench.open("other", process: 2))
        bench.wait(9)
        #expect(bench.launches == ["session"])
        bench.wait(1)
        #expect(bench.launches == ["session", "session"])
    }

    @Test func `a daemon that cannot count does not end`() {
        var bench = MachineBench()
        bench.failure = .model(.inputOutput)
        bench.wait(30)
        #expect(!bench.hasExited)
        bench.failure = nil
        bench.wait(10)
        #expect(bench.hasExited)
    }

    // MARK: Several callers

    @Test func `TEST-8: all who wait for an end are told that it failed`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client)
        let key = (session: client.session, identifier: 1)
        let cancel = Wire.Cancel(session: key.session, identifier: key.identifier)
        let producing = Wire.CancelProducingResumeData(
            session: key.session,
            identifier: key.identifier
        )
        let close = Wire.CloseSession(session: client.session, cancel: true)
        let calls = [
            bench.call(client) { $0.cancel(cancel, from: $1) },
            bench.call(client) { $0.cancel(cancel, from: $1) },
            bench.call(client) { $0.cancelProducingResumeData(producing, from: $1) },
            bench.call(client) { $0.cancelTask(task, from: $1) },
            bench.call(client) { $0.closeSession(close, from: $1) },
        ]
        // All of them have read the task before its end is tried.
        for _ in calls { bench.step() }
        bench.failure = Self.full
        bench.settle()
        let refusal = MachineBench.Outcome.refusal(
            .storeUnavailable(reason: "the model says diskFull")
        )
        #expect(calls.map { bench.outcomes[$0] } == calls.map { _ in refusal })
        #expect(bench.machine.endings.isEmpty)
        bench.failure = nil
        #expect(bench.cancel(client) == .done)
    }

    @Test
    func `TEST-8: all who wait for an end that the daemon wants itself are told when it comes`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client)
        bench.failure = Self.full
        bench.input { $0.finished(task: task, byteCount: 1, path: "/") }
        let cancel = Wire.Cancel(session: client.session, identifier: 1)
        bench.failure = nil
        let calls = (1...2).map { _ in bench.call(client) { $0.cancel(cancel, from: $1) } }
        bench.settle()
        #expect(calls.map { bench.outcomes[$0] } == [.done, .done])
    }

    @Test func `TEST-8: both who make the same task are told that it failed`() {
        var bench = MachineBench()
        let client = bench.open()
        let create = Wire.CreateDownload.sample(client.session)
        let calls = (1...2).map { _ in
            bench.call(client) { $0.createDownload(create, from: $1) }
        }
        bench.failure = Self.full
        bench.settle()
        for call in calls {
            #expect(
                bench.outcomes[call]
                    == .refusal(.storeUnavailable(reason: "the model says diskFull"))
            )
        }
        #expect(bench.machine.creations.isEmpty)
    }

    @Test func `TEST-8: all who open the same session are told that it failed`() {
        var bench = MachineBench()
        let clients = (1...2).map { _ in bench.connect(process: 1) }
        let calls = clients.map { client in
            bench.call(client) { $0.openSession(.sample(), from: $1) }
        }
        bench.failure = Self.full
        bench.settle()
        for call in calls {
            #expect(
                bench.outcomes[call]
                    == .refusal(.storeUnavailable(reason: "the model says diskFull"))
            )
        }
        #expect(bench.machine.sessions.openings.isEmpty)
    }
}
