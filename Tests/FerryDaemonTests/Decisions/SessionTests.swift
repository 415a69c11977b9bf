import FerryStore
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct SessionTests {
    @Test func `a number that a process used up at its end is not given to the next one`() {
        var bench = MachineBench()
        let open = Wire.OpenSession.sample("session", "app", .sample, .sample)
        var first = bench.connect(process: 1)
        let second = bench.connect(process: 2)
        let firstCall = bench.call(first) { $0.openSession(open, from: $1) }
        let answers = bench.stepHoldingBack()
        let secondCall = bench.call(second) { $0.openSession(open, from: $1) }
        for answer in answers { bench.take(answer) }
        guard
            case .answer(.opened(let session, nextTaskIdentifier: 1, _)) = bench.outcomes[firstCall]
        else {
            Issue.record("\(String(describing: bench.outcomes[firstCall]))")
            return
        }
        first.session = session.rawValue
        let create = Wire.CreateDownload.sample(first.session, 1, "a", 0.5)
        _ = bench.call(first) { $0.createDownload(create, from: $1) }
        bench.input { $0.disconnected(first.connection) }
        bench.settle()
        let opened = MachineBench.Outcome.answer(.opened(session: session, nextTaskIdentifier: 2))
        #expect(bench.outcomes[secondCall] == opened)
    }

    @Test func `a session is open once it is in the store`() throws {
        var bench = MachineBench()
        let client = bench.connect()
        let call = bench.call(client) { $0.openSession(.sample(), from: $1) }
        #expect(bench.outcomes[call] == nil)
        bench.settle()
        #expect(bench.outcomes[call] == .answer(.opened(session: 1, nextTaskIdentifier: 1)))
        let session = try #require(bench.database.synchronized.sessions[1]?.record)
        #expect(session.configuration.value == .sample)
    }

    @Test(arguments: [
        (Wire.OpenSession.sample(""), "identifier"),
        (.sample(String(repeating: "x", count: 1025)), "identifier"),
        (.sample("s", ""), "application"),
        (.sample("s", String(repeating: "x", count: 4097)), "application"),
        (
            .sample(
                "s",
                "a",
                Wire.Launch(executable: "app", arguments: [], directory: "/", environment: [:])
            ), "application"
        ),
    ])
    func `what makes no sense is not opened`(_ open: Wire.OpenSession, _ parameter: String) {
        var bench = MachineBench()
        let outcome = bench.settledCall(bench.connect()) { $0.openSession(open, from: $1) }
        guard case .refusal(.invalidRequest(parameter, _)) = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
        #expect(bench.database.current.isEmpty)
    }

    @Test func `BG-10: a session that another process has open cannot be opened`() {
        var bench = MachineBench()
        _ = bench.open(process: 1)
        let other = bench.connect(process: 2)
        let outcome = bench.settledCall(other) { machine, caller in
            machine.openSession(.sample("session", "app", nil, .limited(9)), from: caller)
        }
        #expect(outcome == .refusal(.sessionInUse(identifier: "session", pid: 1)))
        let record = bench.database.current.sessions[1]?.record
        #expect(record?.configuration.value == .sample)
        #expect(bench.database.current.applications[1]?.launch != nil)
    }

    @Test func `BG-10: of two processes that open a session at once, one gets it`() {
        var bench = MachineBench()
        let (one, two) = (bench.connect(process: 1), bench.connect(process: 2))
        let first = bench.call(one) { $0.openSession(.sample(), from: $1) }
        let second = bench.call(two) { $0.openSession(.sample(), from: $1) }
        bench.settle()
        #expect(bench.outcomes[first] == .answer(.opened(session: 1, nextTaskIdentifier: 1)))
        #expect(
            bench.outcomes[second] == .refusal(.sessionInUse(identifier: "session", pid: 1))
        )
    }

    @Test func `a session can be opened by another process when its client is gone`() {
        var bench = MachineBench()
        let first = bench.open(process: 1)
        bench.create(first)
        bench.disconnect(first)
        let second = bench.open(process: 2)
        #expect(second.session == first.session)
        #expect(bench.cancel(second) == .done)
    }

    @Test func `a process that connects anew has its session again`() {
        var bench = MachineBench()
        let first = bench.open(process: 1)
        let second = bench.open(process: 1)
        #expect(second.session == first.session)
        bench.disconnect(first)
        #expect(bench.create(second) == 1)
        #expect(bench.cancel(second) == .done)
    }

    @Test func `what waited for a place starts as soon as its session may have more`() {
        var bench = MachineBench(.limits(total: 9, host: 9))
        let client = bench.open(configuration: .limited(1))
        for identifier in 1...3 { bench.start(client, identifier) }
        #expect(bench.loading == [1])
        _ = bench.open(configuration: .limited(2))
        #expect(bench.loading == [1, 2])
    }

    @Test func `two applications may have sessions of the same name`() {
        var bench = MachineBench()
        let one = bench.open(application: "one", process: 1)
        let two = bench.open(application: "two", process: 2)
        #expect(one.session != two.session)
        #expect(bench.create(one) != bench.create(two))
    }

    @Test func `a client that is gone before its session is open leaves nothing behind`() {
        var bench = MachineBench()
        let client = bench.connect()
        let call = bench.call(client) { $0.openSession(.sample(), from: $1) }
        bench.disconnect(client)
        bench.settle()
        #expect(bench.outcomes[call] == nil)
        #expect(bench.database.current.isEmpty)
        #expect(bench.machine.sessions.isEmpty && bench.machine.applications.isEmpty)
    }

    @Test func `a client that is gone before it has opened a session again does not close it`() {
        var bench = MachineBench()
        let first = bench.open(process: 1)
        let second = bench.connect(process: 1)
        _ = bench.call(second) { $0.openSession(.sample(), from: $1) }
        bench.disconnect(second)
        #expect(bench.create(first) == 1)
    }

    @Test func `a session that nobody has open and that holds nothing goes`() {
        var bench = MachineBench()
        let one = bench.open("one")
        let two = bench.open("two")
        bench.create(two)
        bench.disconnect(one)
        #expect(bench.database.current.sessions.keys.sorted() == [two.sessionID])
        bench.disconnect(two)
        #expect(bench.database.current.sessions.keys.sorted() == [two.sessionID])
    }

    @Test func `an application goes with its last session`() {
        var bench = MachineBench()
        let client = bench.open()
        bench.disconnect(client)
        #expect(bench.database.current.isEmpty)
        #expect(bench.machine.applications.isEmpty)
    }

    @Test func `a session does not go while somebody opens it`() {
        var bench = MachineBench()
        let first = bench.open(process: 1)
        bench.input { $0.disconnected(first.connection) }
        // The question whether it is empty is on its way when the next process asks for it.
        let second = bench.connect(process: 2)
        let call = bench.call(second) { $0.openSession(.sample(), from: $1) }
        bench.settle()
        #expect(bench.outcomes[call] == .answer(.opened(session: 1, nextTaskIdentifier: 1)))
        #expect(bench.database.current.sessions.keys.sorted() == [1])
        #expect(bench.machine.sessions.ids.sorted() == [1])
    }

    @Test func `a session that is opened while it goes comes into being again`() {
        var bench = MachineBench()
        let first = bench.open(process: 1)
        bench.input { $0.disconnected(first.connection) }
        bench.step()
        // Its deletion is on its way, that of the application comes when it is done.
        let second = bench.connect(process: 2)
        let call = bench.call(second) { $0.openSession(.sample(), from: $1) }
        bench.settle()
        #expect(bench.outcomes[call] == .answer(.opened(session: 2, nextTaskIdentifier: 1)))
        #expect(bench.database.current.sessions.keys.sorted() == [2])
        #expect(bench.database.current.applications.keys.sorted() == [1])
        #expect(bench.machine.applications.ids.sorted() == [1])
    }

    @Test func `a session that could not be opened again goes when it is empty`() {
        var bench = MachineBench()
        let first = bench.open(process: 1)
        bench.input { $0.disconnected(first.connection) }
        _ = bench.call(bench.connect(process: 2)) { $0.openSession(.sample(), from: $1) }
        // The question is answered, then the disk is full for the opening.
        bench.step()
        bench.failure = .model(.diskFull)
        bench.step()
        bench.failure = nil
        bench.settle()
        #expect(bench.database.current.isEmpty)
    }

    @Test func `sessions that were left empty go when the daemon starts`() {
        var database = ModelDatabase()
        database.commit([.sampleSession("full"), .sampleSession("empty"), .sampleTask(1)])
        let bench = MachineBench(on: database)
        #expect(bench.database.current.sessions.keys.sorted() == [1])
        #expect(bench.machine.sessions.ids.sorted() == [1])
    }

    @Test(arguments: SessionCall.allCases)
    func `a call for a session that is not open is refused`(_ call: SessionCall) {
        var bench = MachineBench()
        let owner = bench.open(process: 1)
        bench.create(owner)
        for stranger in [bench.connect(process: 2), bench.open("other", process: 3)] {
            let outcome = bench.settledCall(stranger) { machine, caller in
                call.make(&machine, session: owner.session, caller)
            }
            #expect(outcome == .refusal(.sessionNotOpen(session: owner.session)))
        }
    }
}

/// The calls that are about a session.
enum SessionCall: CaseIterable {
    case create, resume, suspend, cancel, resumeData, description, priority, acknowledge, close,
        subscribe, release

    func make(
        _ machine: inout DaemonStateMachine,
        session: Int64,
        _ caller: DaemonStateMachine.Caller
    ) {
        switch self {
        case .create: machine.createDownload(.sample(session, 2), from: caller)
        case .resume:
            let resume = Wire.Resume(session: session, identifier: 1)
            machine.resume(resume, from: caller)
        case .suspend:
            let suspend = Wire.Suspend(session: session, identifier: 1)
            machine.suspend(suspend, from: caller)
        case .cancel:
            machine.cancel(Wire.Cancel(session: session, identifier: 1), from: caller)
        case .resumeData:
            let cancel = Wire.CancelProducingResumeData(session: session, identifier: 1)
            machine.cancelProducingResumeData(cancel, from: caller)
        case .description:
            let set = Wire.SetDescription(session: session, identifier: 1, description: "x")
            machine.setDescription(set, from: caller)
        case .priority:
            let set = Wire.SetPriority(session: session, identifier: 1, priority: 1)
            machine.setPriority(set, from: caller)
        case .acknowledge:
            let acknowledge = Wire.Acknowledge(session: session, sequence: 1)
            machine.acknowledge(acknowledge, from: caller)
        case .close:
            let close = Wire.CloseSession(session: session, cancel: true)
            machine.closeSession(close, from: caller)
        case .subscribe: machine.subscribe(session: SessionID(session), from: caller)
        case .release: machine.releaseSession(SessionID(session), from: caller)
        }
    }
}

/// Clients that are gone, and have made calls that cannot be carried out yet.
@Suite(.timeLimit(.minutes(1))) struct HungUpTests {
    private static func hangUp(_ bench: inout MachineBench, _ client: BenchClient) {
        bench.input { $0.hungUp(client.connection) }
        bench.settle()
    }

    @Test
    func
        `REL-1: a session whose client is gone can be opened before all that it sent is carried out`()
    {
        var bench = MachineBench()
        let gone = bench.open(process: 1)
        Self.hangUp(&bench, gone)
        let next = bench.open(process: 2)
        #expect(next.session == gone.session)
    }

    @Test
    func
        `REL-1: what a client sent before it was gone is carried out as long as no other has its session`()
    {
        var bench = MachineBench()
        let gone = bench.open(process: 1)
        Self.hangUp(&bench, gone)
        // Without a task in it, it is there for the calls that may come.
        #expect(bench.machine.sessions[gone.sessionID] != nil)
        let task = bench.start(gone, 1)
        #expect(bench.loading == [task])
        let next = bench.open(process: 2)
        #expect(bench.create(gone, 2) == 0)
        #expect(bench.create(next, 2) != 0)
        bench.disconnect(gone)
        #expect(
            bench.machine.isOpen(next.sessionID, for: .init(call: 1, connection: 1, process: 2))
        )
    }

    @Test
    func
        `REL-1: a session that nobody needs goes when the calls of its client have been carried out`()
    {
        var bench = MachineBench()
        let gone = bench.open()
        Self.hangUp(&bench, gone)
        bench.disconnect(gone)
        #expect(bench.machine.sessions.isEmpty)
        #expect(bench.create(gone) == 0)
    }

    @Test
    func `REL-1: a client that is gone is started for its events before its calls are carried out`()
    {
        var bench = MachineBench()
        let gone = bench.open()
        let task = bench.start(gone)
        bench.finish(task)
        bench.wait(60)
        #expect(bench.launches.isEmpty)
        Self.hangUp(&bench, gone)
        #expect(bench.launches == ["session"])
    }
}
