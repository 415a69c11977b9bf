import FerryHTTP
import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct ChallengeTests {
    private var bench = MachineBench()

    init() {
        // The first seconds of the daemon's life are over.
        bench.wait(5)
    }

    private mutating func open(
        _ configuration: Wire.SessionConfiguration = .asking,
        launch: Wire.Launch? = .sample
    ) -> BenchClient {
        bench.open(launch: launch, configuration: configuration)
    }

    // MARK: Asking

    @Test mutating func `BG-36: an application that is there is asked, and its answer is used`() {
        let client = open()
        let stream = bench.subscribe(client)
        let task = bench.start(client)
        bench.challenge(task)
        let question = bench.questions(over: stream).first
        #expect(question?.task == 1)
        #expect(question?.challenge?.password?.scheme == "basic")
        #expect(question?.challenge?.origin == "http://a:80")
        #expect(bench.challengeAnswers[task] == nil)
        #expect(bench.answer(client) == .done)
        #expect(bench.challengeAnswers[task] == [.use(MachineBench.credential)])
        bench.finish(task)
        #expect(bench.stored(task)?.state == .completed)
        #expect(bench.launches.isEmpty)
    }

    @Test mutating func `BG-36: an application that is not there is started for its answer`() {
        let client = open()
        let task = bench.start(client)
        bench.start(client, 2)
        bench.disconnect(client)
        bench.challenge(task)
        #expect(bench.launches == ["session"])
        let again = open()
        let stream = bench.subscribe(again)
        #expect(bench.questions(over: stream).map(\.task) == [1])
        let kinds = bench.events[stream]?.map(\.kind) ?? []
        #expect(kinds.last == .drained, "it is asked before it is told that there is nothing more")
        #expect(bench.answer(again) == .done)
        #expect(bench.challengeAnswers[task] == [.use(MachineBench.credential)])
    }

    @Test
    mutating func `BG-35, BG-36: without launch events the question waits for the application`() {
        var configuration = Wire.SessionConfiguration.asking
        configuration.sendsLaunchEvents = false
        let client = open(configuration)
        let task = bench.start(client)
        bench.disconnect(client)
        bench.challenge(task)
        bench.wait(3600)
        #expect(bench.launches.isEmpty)
        #expect(bench.challengeAnswers.isEmpty)
        let again = open(configuration)
        let stream = bench.subscribe(again)
        #expect(bench.questions(over: stream).count == 1)
    }

    @Test
    mutating func `an application that dies before it answers is started again, later and later`() {
        let client = open()
        let task = bench.start(client)
        bench.disconnect(client)
        bench.challenge(task)
        for count in 0..<6 {
            let pause = bench.machine.policy.relaunchDelay * Double(1 << count)
            #expect(bench.launches.count == count + 1)
            bench.ended(application: 1)
            bench.wait(pause * 0.75)
            #expect(bench.launches.count == count + 1)
            bench.wait(pause * 0.25)
        }
    }

    @Test mutating func `an application whose passwords are wrong is started later and later`() {
        let client = open()
        let task = bench.start(client)
        bench.disconnect(client)
        for count in 0..<20 {
            bench.challenge(task, .password(failureCount: count))
            bench.wait(0.1)
            let again = open()
            _ = bench.subscribe(again)
            bench.answer(again)
            bench.disconnect(again)
            bench.ended(application: 1)
        }
        #expect(bench.launches.count < 5)
    }

    @Test mutating func `a question that another process has nothing to say about is none`() {
        let client = open()
        let task = bench.start(client)
        bench.disconnect(client)
        bench.challenge(task)
        let next = bench.open(process: 2, configuration: .sample)
        let stream = bench.subscribe(next)
        #expect(bench.questions(over: stream).isEmpty)
        #expect(bench.challengeAnswers[task] == [.performDefaultHandling])
    }

    @Test mutating func `a question is told once over each subscription`() {
        let client = open()
        let task = bench.start(client)
        bench.challenge(task)
        let first = bench.subscribe(client)
        bench.settle()
        #expect(bench.questions(over: first).count == 1)
        let second = bench.subscribe(client)
        #expect(bench.questions(over: second).count == 1)
        bench.progress(task, 5)
        #expect(bench.questions(over: second).count == 1)
    }

    @Test mutating func `a subscriber that takes nothing is told the question when it does again`()
    {
        let client = open()
        let stream = bench.subscribe(client)
        let task = bench.start(client)
        bench.input { machine in machine.writability(of: stream, false) }
        bench.challenge(task)
        #expect(bench.questions(over: stream).isEmpty)
        bench.input { machine in machine.writability(of: stream, true) }
        bench.settle()
        #expect(bench.questions(over: stream).count == 1)
    }

    // MARK: Without asking

    @Test mutating func `nobody is asked where the application has nothing to say`() {
        let client = open(.sample)
        let stream = bench.subscribe(client)
        let task = bench.start(client)
        bench.challenge(task)
        #expect(bench.challengeAnswers[task] == [.performDefaultHandling])
        #expect(bench.questions(over: stream).isEmpty)
    }

    @Test mutating func `an application that answers no challenges is not asked again`() throws {
        let client = open()
        let tasks = [bench.start(client, 1), bench.start(client, 2)]
        bench.challenge(tasks[0])
        bench.challenge(tasks[1])
        bench.answer(client, 1, .goOn, answersNoOthers: true)
        #expect(
            bench.challengeAnswers == [
                tasks[0]: [.performDefaultHandling], tasks[1]: [.performDefaultHandling],
            ]
        )
        let stored = try #require(bench.database.current.sessions[client.sessionID]?.record)
        #expect(stored.configuration.value?.answersPasswords == false)
    }

    @Test mutating func `what is stored of a session later has the limits that were set before`()
        throws
    {
        let client = open()
        let rates = SharedRates(receive: 1000, send: 2000)
        #expect(
            bench.settledCall(client) {
                $0.setRates(rates, ofSession: client.sessionID, from: $1)
            } == .done
        )
        let task = bench.start(client)
        bench.challenge(task)
        bench.answer(client, 1, .goOn, answersNoOthers: true)
        let stored = try #require(bench.database.current.sessions[client.sessionID]?.record)
        #expect(stored.configuration.value?.rates == rates)
    }

    // MARK: Late answers

    @Test mutating func `an answer to a question that is gone changes nothing`() {
        let client = open()
        let task = bench.start(client)
        #expect(bench.answer(client) == .done)
        bench.challenge(task)
        bench.suspend(client)
        #expect(bench.answer(client) == .done)
        #expect(bench.challengeAnswers.isEmpty)
        #expect(bench.machine.sessions[client.sessionID]?.questionCount == 0)
    }

    @Test mutating func `only the process that has the session open may answer`() {
        let client = open()
        let task = bench.start(client)
        bench.challenge(task)
        let other = bench.open("other", process: 2)
        let stranger = BenchClient(
            connection: other.connection,
            process: other.process,
            session: client.session
        )
        #expect(bench.answer(stranger) == .refusal(.sessionNotOpen(session: client.session)))
        #expect(bench.challengeAnswers.isEmpty)
    }

    @Test mutating func `BG-36, DL-12: a task whose challenge is cancelled ends as cancelled`() {
        let client = open()
        let task = bench.start(client)
        bench.challenge(task)
        bench.answer(client, 1, .cancel)
        #expect(bench.challengeAnswers[task] == [.cancel])
        bench.fail(task, .cancelled)
        #expect(bench.stored(task)?.state == .completed)
    }

    // MARK: Limits

    @Test mutating func `a task that waits for its application is in its own session's way alone`()
    {
        bench = MachineBench(.limits(total: 1, host: 1))
        bench.wait(5)
        let client = open(Wire.SessionConfiguration.asking.limited(1))
        let task = bench.start(client, 1)
        let next = bench.start(client, 2)
        let other = bench.open("other", application: "other", process: 2)
        let third = bench.start(other)
        #expect(bench.loading == [task])
        bench.challenge(task)
        #expect(bench.loading == [task, third])
        bench.answer(client)
        #expect(bench.loading == [task, third], "it goes on, whatever the limits are")
        bench.finish(third)
        #expect(!bench.loading.contains(next))
        bench.finish(task)
        #expect(bench.loading.contains(next))
        #expect(bench.machine.running.budget.count == 1)
    }

    @Test mutating func `not more tasks wait at once with their connections than may`() {
        var policy = DaemonPolicy.limits(total: 4, host: 2)
        policy.maximumWaitingTransfers = 4
        bench = MachineBench(policy)
        bench.wait(5)
        let client = open(.asking.limited(500))
        for identifier in 1...50 { bench.start(client, identifier) }
        var asked: Set<TaskID> = []
        while let task = bench.loading.first(where: { !asked.contains($0) }) {
            asked.insert(task)
            bench.challenge(task)
        }
        #expect(
            bench.loading.count == 4,
            "the others come back later, and keep nobody from loading"
        )
        let other = bench.open("other", application: "other", process: 2)
        let plain = bench.start(other)
        #expect(bench.loading.contains(plain))
        bench.finish(plain)
        for identifier in 1...50 { bench.answer(client, identifier) }
        #expect(bench.machine.running.budget.count == 4)
        for task in bench.loading { bench.finish(task) }
        bench.wait(30)
        #expect(bench.machine.running.budget.count == 2)
    }

    @Test mutating func `a task that waits keeps none from giving its place away`() {
        bench = MachineBench(.limits(total: 2, host: 2))
        bench.wait(5)
        let client = open()
        for identifier in 1...2 {
            let task = bench.start(client, identifier, host: "h\(identifier)")
            bench.challenge(task)
        }
        let tasks = (3...4).map { bench.start(client, $0, host: "x") }
        bench.input { $0.finished(task: tasks[0], byteCount: 1, path: "/1") }
        let slot = bench.machine.running[tasks[0]]?.slot
        #expect(slot == DaemonStateMachine.RunningTask.Slot.none)
    }

    @Test mutating func `a daemon stays while a question is open`() {
        let client = open(launch: nil)
        let task = bench.start(client)
        bench.disconnect(client)
        bench.challenge(task)
        bench.wait(3600)
        #expect(!bench.hasExited)
    }
}
