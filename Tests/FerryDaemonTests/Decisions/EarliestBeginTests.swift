import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct EarliestBeginTests {
    private var bench = MachineBench()

    init() { bench.wait(5) }

    // MARK: The date

    @Test mutating func `BG-20: a task does not begin before its date`() {
        let client = bench.open()
        let task = bench.startLater(client)
        #expect(bench.wait(of: task) == Wire.Wait(reason: .earliestBegin, until: bench.now + 60))
        bench.wait(59)
        #expect(bench.loading.isEmpty)
        bench.wait(1)
        #expect(bench.loading == [task])
    }

    @Test mutating func `BG-20: the date outlives the daemon`() {
        let client = bench.open()
        let task = bench.startLater(client)
        bench = MachineBench(on: bench.database, at: bench.now + 30)
        #expect(bench.loading.isEmpty)
        bench.wait(30)
        #expect(bench.loading == [task])
    }

    @Test
    mutating func `BG-20: the date can be set, changed and taken back before the task begins`() {
        let client = bench.open()
        let task = bench.create(client)
        bench.setBegin(client, in: 30)
        bench.resume(client)
        #expect(bench.loading.isEmpty)
        bench.setBegin(client, in: 60)
        bench.wait(45)
        #expect(bench.loading.isEmpty)
        bench.setBegin(client, in: nil)
        #expect(bench.loading == [task])
    }

    @Test mutating func `BG-20: a date that has passed is none`() {
        let client = bench.open()
        var create = Wire.CreateDownload.sample(client.session, 1)
        create.earliestBegin = Wire.EarliestBegin(date: bench.now - 1, asks: true)
        create.resumed = true
        bench.settledCall(client) { [create] in $0.createDownload(create, from: $1) }
        #expect(bench.loading.count == 1)
    }

    @Test mutating func `BG-20: the time for the whole resource counts from the date`() throws {
        let client = bench.open(configuration: .timed(100))
        let resumed = bench.startLater(client)
        #expect(bench.stored(resumed)?.deadline == bench.now + 160)
        let later = bench.create(client, 2)
        bench.setBegin(client, 2, in: 60)
        bench.resume(client, 2)
        #expect(bench.stored(later)?.deadline == bench.now + 160)
    }

    @Test mutating func `BG-20: the time goes along with a date that is changed`() {
        let client = bench.open(configuration: .timed(100))
        let task = bench.startLater(client)
        bench.setBegin(client, in: 600)
        bench.wait(599)
        #expect(bench.stored(task)?.state == .waiting)
        bench.wait(2)
        #expect(bench.loading == [task])
    }

    @Test mutating func `BG-20: a suspended task's time counts from its date, too`() {
        let client = bench.open(configuration: .timed(100))
        let task = bench.startLater(client)
        bench.suspend(client)
        bench.setBegin(client, in: 600)
        bench.resume(client)
        #expect(bench.stored(task)?.deadline == bench.now + 700)
    }

    @Test
    mutating func `DL-15: a task that is suspended over its date has no more time than others`() {
        let client = bench.open(configuration: .timed(100))
        let task = bench.startLater(client, in: 3600)
        bench.suspend(client)
        bench.wait(7200)
        bench.resume(client)
        #expect(bench.stored(task)?.deadline == bench.now + 100)
    }

    @Test mutating func `BG-20: resume data that cannot be taken over now does not move the date`()
        throws
    {
        let client = bench.open()
        let task = bench.startLater(client, in: 3600, resumeData: Data([1]))
        let date = bench.now + 3600
        let record = try #require(bench.adoptions.last)
        bench.input { $0.adopted(record, .failure(.sample(.diskFull))) }
        bench.settle()
        #expect(bench.stored(task)?.notBefore == date)
    }

    @Test mutating func `BG-20: a date that comes while resume data is taken over holds`() throws {
        let client = bench.open()
        let task = bench.startLater(client, in: 60, resumeData: Data([1]))
        let record = try #require(bench.adoptions.last)
        bench.setBegin(client, in: 3600)
        bench.input { $0.adopted(record, .failure(.sample(.diskFull))) }
        bench.settle()
        #expect(bench.stored(task)?.notBefore == bench.now + 3600)
    }

    @Test mutating func `a person who pauses a task and lets it go does not change its date`() {
        let client = bench.open()
        let task = bench.startLater(client, in: 3600)
        bench.person { $0.pauseTask(task, from: $1) }
        bench.person { $0.resumeTask(task, from: $1) }
        #expect(bench.loading.isEmpty)
        bench.wait(3600)
        #expect(bench.loading == [task])
    }

    @Test mutating func `a person who resumes a task does not wait for its date`() {
        let client = bench.open()
        let task = bench.startLater(client)
        bench.person { $0.resumeTask(task, from: $1) }
        #expect(bench.loading == [task])
    }

    // MARK: The question

    @Test mutating func `BG-21: the application is asked when the date has come, and not before`() {
        let client = bench.open()
        let stream = bench.subscribe(client)
        let task = bench.startLater(client, asks: true)
        #expect(bench.questions(over: stream, .delayed).isEmpty)
        bench.wait(60)
        #expect(bench.loading.isEmpty)
        #expect(bench.questions(over: stream, .delayed).map(\.task) == [1])
        #expect(bench.questions(over: stream, .delayed).first?.request?.url == "http://a/1")
        #expect(bench.wait(of: task)?.reason == .application)
        #expect(bench.begin(client) == .done)
        #expect(bench.loading == [task])
        #expect(bench.transfers[task]?.task.requestToSend?.url == "http://a/1")
    }

    @Test mutating func `BG-21: a new request is sent in place of the task's own`() {
        let client = bench.open()
        let task = bench.startLater(client, asks: true)
        bench.wait(60)
        #expect(bench.begin(client, .sample("http://a/1?token=2")) == .done)
        #expect(bench.transfers[task]?.task.requestToSend?.url == "http://a/1?token=2")
        bench.fail(task)
        bench.wait(60)
        #expect(bench.transfers[task]?.task.requestToSend?.url == "http://a/1?token=2")
        #expect(bench.stored(task)?.request.value?.url == "http://a/1")
    }

    @Test mutating func `BG-21: a new request that cannot be sent is refused`() throws {
        let client = bench.open()
        _ = bench.startLater(client, asks: true)
        bench.wait(60)
        guard
            case .refusal(.invalidRequest(let parameter, _)) = bench.begin(
                client,
                .sample("file:///x")
            )
        else { return #expect(Bool(false), "it is not refused") }
        #expect(parameter == "request.url")
        #expect(bench.loading.isEmpty)
    }

    @Test mutating func `BG-21: the application is started for the question`() {
        let client = bench.open()
        let task = bench.startLater(client, asks: true)
        bench.disconnect(client)
        bench.wait(60)
        #expect(bench.launches == ["session"])
        let again = bench.open()
        let stream = bench.subscribe(again)
        #expect(bench.questions(over: stream, .delayed).count == 1)
        #expect(bench.begin(again) == .done)
        #expect(bench.loading == [task])
    }

    @Test mutating func `BG-21: a task that is cancelled when it is asked about ends`() {
        let client = bench.open()
        let task = bench.startLater(client, asks: true)
        bench.wait(60)
        bench.cancel(client)
        #expect(bench.stored(task)?.state == .completed)
        #expect(bench.machine.running.isEmpty)
        #expect(bench.machine.sessions[client.sessionID]?.questionCount == 0)
    }

    @Test mutating func `BG-21: a task that was suspended meanwhile is asked about anew`() {
        let client = bench.open()
        let stream = bench.subscribe(client)
        _ = bench.startLater(client, asks: true)
        bench.wait(60)
        bench.suspend(client)
        #expect(bench.machine.running.isEmpty)
        bench.resume(client)
        #expect(bench.questions(over: stream, .delayed).count == 2)
    }

    @Test
    mutating func
        `BG-21: an answer that comes when the date was changed does not let the task begin`()
    {
        let client = bench.open()
        _ = bench.startLater(client, asks: true)
        bench.wait(60)
        bench.setBegin(client, in: 600, asks: true)
        bench.begin(client)
        #expect(bench.loading.isEmpty)
        bench.wait(600)
        #expect(bench.machine.running.count == 1)
    }

    @Test mutating func `BG-21: a late answer does not change a task that has begun`() {
        let client = bench.open()
        let task = bench.startLater(client, asks: true)
        bench.wait(60)
        bench.begin(client, .sample("http://a/1?first"))
        #expect(bench.loading == [task])
        bench.begin(client, .sample("http://a/1?second"))
        bench.setBegin(client, in: nil)
        bench.fail(task)
        bench.wait(600)
        #expect(bench.transfers[task]?.task.requestToSend?.url == "http://a/1?first")
    }

    @Test mutating func `BG-21: a new request is the current one, also without an answer`() {
        let client = bench.open()
        let stream = bench.subscribe(client)
        let task = bench.startLater(client, asks: true)
        bench.wait(60)
        bench.begin(client, .sample("http://a/1?token=2"))
        bench.fail(task, .badURL)
        let end = bench.events[stream]?.last { $0.kind == .completed }
        #expect(end?.request?.url == "http://a/1?token=2")
    }

    @Test mutating func `BG-21: tasks that are asked about are in no other task's way`() {
        let client = bench.open(launch: nil)
        for identifier in 1...2 { _ = bench.startLater(client, identifier, asks: true) }
        bench.wait(60)
        let plain = bench.start(client, 3)
        bench.disconnect(client)
        #expect(bench.loading == [plain])
    }

    @Test mutating func `BG-21: more questions than may be open are asked later`() {
        var policy = DaemonPolicy.bench
        policy.maximumQuestions = 2
        bench = MachineBench(policy)
        let client = bench.open()
        let stream = bench.subscribe(client)
        for identifier in 1...3 { _ = bench.startLater(client, identifier, asks: true) }
        bench.wait(60)
        #expect(bench.machine.running.count == 2)
        bench.begin(client)
        bench.wait(30)
        #expect(bench.questions(over: stream, .delayed).count == 3)
    }
}
