import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite struct EarliestBeginTests {
    private var bench = MachineBench()

    init() { bench.wait(5) }

    /// A client makes a task that begins in a minute, and lets it run.
    private mutating func start(
        _ client: BenchClient,
        _ identifier: Int = 1,
        asks: Bool = false
    ) -> Int64 {
        var create = Wire.CreateDownload.sample(client.session, identifier)
        create.earliestBegin = Wire.EarliestBegin(date: bench.now + 60, asks: asks)
        create.resumed = true
        let now = bench.now
        let outcome = bench.settledCall(client) { [create] machine, caller in
            machine.createDownload(create, from: caller, at: now)
        }
        guard case .answer(.created(let task)) = outcome else { return 0 }
        return task
    }

    private mutating func begin(
        _ client: BenchClient,
        _ request: Wire.Request? = nil
    )
        -> MachineBench.Outcome?
    {
        let begin = Wire.Begin(session: client.session, identifier: 1, request: request)
        return bench.settledCall(client) { $0.begin(begin, from: $1) }
    }

    private func questions(over stream: DaemonStateMachine.CallIdentifier) -> [Wire.Event] {
        bench.events[stream]?.filter { $0.kind == .delayed } ?? []
    }

    // MARK: The date

    @Test mutating func `BG-20: a task does not begin before its date`() {
        let client = bench.open()
        let task = start(client)
        #expect(bench.wait(of: task) == Wire.Wait(reason: .earliestBegin, until: bench.now + 60))
        bench.wait(59)
        #expect(bench.loading.isEmpty)
        bench.wait(1)
        #expect(bench.loading == [task])
    }

    @Test mutating func `BG-20: the date outlives the daemon`() {
        let client = bench.open()
        let task = start(client)
        bench = MachineBench(on: bench.database, at: bench.now + 30)
        #expect(bench.loading.isEmpty)
        bench.wait(30)
        #expect(bench.loading == [task])
    }

    @Test
    mutating func `BG-20: the date can be set, changed and taken back before the task begins`() {
        let client = bench.open()
        let task = bench.create(client)
        func set(_ seconds: Double?, _ bench: inout MachineBench) {
            let now = bench.now
            let set = Wire.SetEarliestBegin(
                session: client.session,
                identifier: 1,
                earliestBegin: seconds.map { Wire.EarliestBegin(date: now + $0, asks: false) }
            )
            let outcome = bench.settledCall(client) { $0.setEarliestBegin(set, from: $1, at: now) }
            #expect(outcome == .done)
        }
        set(30, &bench)
        bench.resume(client)
        #expect(bench.loading.isEmpty)
        set(60, &bench)
        bench.wait(45)
        #expect(bench.loading.isEmpty)
        set(nil, &bench)
        #expect(bench.loading == [task])
    }

    @Test mutating func `BG-20: a date that has passed is none`() {
        let client = bench.open()
        var create = Wire.CreateDownload.sample(client.session, 1)
        create.earliestBegin = Wire.EarliestBegin(date: bench.now - 1, asks: true)
        create.resumed = true
        let now = bench.now
        bench.settledCall(client) { [create] in $0.createDownload(create, from: $1, at: now) }
        #expect(bench.loading.count == 1)
    }

    @Test mutating func `BG-20: the time for the whole resource counts from the date`() throws {
        let client = bench.open(configuration: .timed(100))
        let resumed = start(client)
        #expect(bench.stored(resumed)?.deadline == bench.now + 160)
        let later = bench.create(client, 2)
        let now = bench.now
        let set = Wire.SetEarliestBegin(
            session: client.session,
            identifier: 2,
            earliestBegin: Wire.EarliestBegin(date: now + 60, asks: false)
        )
        bench.settledCall(client) { $0.setEarliestBegin(set, from: $1, at: now) }
        bench.resume(client, 2)
        #expect(bench.stored(later)?.deadline == bench.now + 160)
    }

    @Test mutating func `a person who resumes a task does not wait for its date`() {
        let task = start(bench.open())
        bench.person { $0.resumeTask(task, from: $1, at: moment(5)) }
        #expect(bench.loading == [task])
    }

    // MARK: The question

    @Test mutating func `BG-21: the application is asked when the date has come, and not before`() {
        let client = bench.open()
        let stream = bench.subscribe(client)
        let task = start(client, asks: true)
        #expect(questions(over: stream).isEmpty)
        bench.wait(60)
        #expect(bench.loading.isEmpty)
        #expect(questions(over: stream).map(\.task) == [1])
        #expect(questions(over: stream).first?.request?.url == "http://a/1")
        #expect(bench.wait(of: task)?.reason == .application)
        #expect(begin(client) == .done)
        #expect(bench.loading == [task])
        #expect(bench.transfers[task]?.task.requestToSend?.url == "http://a/1")
    }

    @Test mutating func `BG-21: a new request is sent in place of the task's own`() {
        let client = bench.open()
        let task = start(client, asks: true)
        bench.wait(60)
        #expect(begin(client, .sample("http://a/1?token=2")) == .done)
        #expect(bench.transfers[task]?.task.requestToSend?.url == "http://a/1?token=2")
        bench.fail(task)
        bench.wait(60)
        #expect(bench.transfers[task]?.task.requestToSend?.url == "http://a/1?token=2")
        #expect(bench.stored(task).flatMap { Stored.request($0.request) }?.url == "http://a/1")
    }

    @Test mutating func `BG-21: a new request that cannot be sent is refused`() throws {
        let client = bench.open()
        _ = start(client, asks: true)
        bench.wait(60)
        guard case .refusal(.invalidRequest(let parameter, _)) = begin(client, .sample("file:///x"))
        else { return #expect(Bool(false), "it is not refused") }
        #expect(parameter == "request.url")
        #expect(bench.loading.isEmpty)
    }

    @Test mutating func `BG-21: the application is started for the question`() {
        let client = bench.open()
        let task = start(client, asks: true)
        bench.disconnect(client)
        bench.wait(60)
        #expect(bench.launches == ["session"])
        let again = bench.open()
        let stream = bench.subscribe(again)
        #expect(questions(over: stream).count == 1)
        #expect(begin(again) == .done)
        #expect(bench.loading == [task])
    }

    @Test mutating func `BG-21: a task that is cancelled when it is asked about ends`() {
        let client = bench.open()
        let task = start(client, asks: true)
        bench.wait(60)
        bench.cancel(client)
        #expect(bench.stored(task)?.state == .completed)
        #expect(bench.machine.running.isEmpty)
        #expect(bench.machine.sessions[client.session]?.questionCount == 0)
    }

    @Test mutating func `BG-21: a task that was suspended meanwhile is asked about anew`() {
        let client = bench.open()
        let stream = bench.subscribe(client)
        _ = start(client, asks: true)
        bench.wait(60)
        bench.suspend(client)
        #expect(bench.machine.running.isEmpty)
        bench.resume(client)
        #expect(questions(over: stream).count == 2)
    }
}
