import FerryHTTP
import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite struct ChallengeTests {
    private static let credential = PasswordCredential(user: "jo", password: "secret")
    private static let configuration: Wire.SessionConfiguration = {
        var configuration = Wire.SessionConfiguration.sample
        configuration.answersPasswords = true
        return configuration
    }()

    private var bench = MachineBench()

    init() {
        // The first seconds of the daemon's life are over.
        bench.wait(5)
    }

    private mutating func open(
        _ configuration: Wire.SessionConfiguration = Self.configuration,
        launch: Wire.Launch? = .sample
    ) -> BenchClient {
        bench.open(launch: launch, configuration: configuration)
    }

    private mutating func challenge(_ task: Int64, _ challenge: LoadChallenge = .password()) {
        bench.input { $0.challenged(task: task, challenge, at: $1) }
        bench.settle()
    }

    private mutating func answer(
        _ client: BenchClient,
        _ identifier: Int = 1,
        _ disposition: Wire.ChallengeDisposition = .use,
        isKept: Bool = false,
        answersNoOthers: Bool? = nil
    ) -> MachineBench.Outcome? {
        let answer = Wire.AnswerChallenge(
            session: client.session,
            identifier: identifier,
            question: 0,
            disposition: disposition,
            user: Self.credential.user,
            password: Self.credential.password,
            isKept: isKept,
            answersNoOthers: answersNoOthers
        )
        let now = bench.now
        return bench.settledCall(client) { $0.answerChallenge(answer, from: $1, at: now) }
    }

    private func questions(over stream: DaemonStateMachine.CallIdentifier) -> [Wire.Event] {
        bench.events[stream]?.filter { $0.kind == .challenged } ?? []
    }

    // MARK: Asking

    @Test mutating func `BG-36: an application that is there is asked, and its answer is used`() {
        let client = open()
        let stream = bench.subscribe(client)
        let task = bench.start(client)
        challenge(task)
        let question = questions(over: stream).first
        #expect(question?.task == 1)
        #expect(question?.challenge?.password?.scheme == "basic")
        #expect(question?.challenge?.origin == "http://a:80")
        #expect(bench.challengeAnswers[task] == nil)
        #expect(answer(client) == .done)
        #expect(bench.challengeAnswers[task] == [.use(Self.credential)])
        bench.finish(task)
        #expect(bench.stored(task)?.state == .completed)
        #expect(bench.launches.isEmpty)
    }

    @Test mutating func `BG-36: an application that is not there is started for its answer`() {
        let client = open()
        let task = bench.start(client)
        bench.start(client, 2)
        bench.disconnect(client)
        challenge(task)
        #expect(bench.launches == ["session"])
        let again = open()
        let stream = bench.subscribe(again)
        #expect(questions(over: stream).map(\.task) == [1])
        let kinds = bench.events[stream]?.map(\.kind) ?? []
        #expect(kinds.last == .drained, "it is asked before it is told that there is nothing more")
        #expect(answer(again) == .done)
        #expect(bench.challengeAnswers[task] == [.use(Self.credential)])
    }

    @Test
    mutating func `BG-35, BG-36: without launch events the question waits for the application`() {
        var configuration = Self.configuration
        configuration.sendsLaunchEvents = false
        let client = open(configuration)
        let task = bench.start(client)
        bench.disconnect(client)
        challenge(task)
        bench.wait(3600)
        #expect(bench.launches.isEmpty)
        #expect(bench.challengeAnswers.isEmpty)
        let again = open(configuration)
        let stream = bench.subscribe(again)
        #expect(questions(over: stream).count == 1)
    }

    @Test
    mutating func `an application that dies before it answers is started again, later and later`() {
        let client = open()
        let task = bench.start(client)
        bench.disconnect(client)
        challenge(task)
        bench.ended(application: 1)
        #expect(bench.launches.count == 1)
        bench.wait(3600)
        #expect(bench.launches.count == 2)
    }

    @Test mutating func `a question is told once over each subscription`() {
        let client = open()
        let task = bench.start(client)
        challenge(task)
        let first = bench.subscribe(client)
        bench.settle()
        #expect(questions(over: first).count == 1)
        let second = bench.subscribe(client)
        #expect(questions(over: second).count == 1)
        bench.progress(task, 5)
        #expect(questions(over: second).count == 1)
    }

    @Test mutating func `a subscriber that takes nothing is told the question when it does again`()
    {
        let client = open()
        let stream = bench.subscribe(client)
        let task = bench.start(client)
        bench.input { machine, _ in machine.writability(of: stream, false) }
        challenge(task)
        #expect(questions(over: stream).isEmpty)
        bench.input { machine, _ in machine.writability(of: stream, true) }
        bench.settle()
        #expect(questions(over: stream).count == 1)
    }

    // MARK: Without asking

    @Test mutating func `nobody is asked where the application has nothing to say`() {
        let client = open(.sample)
        let stream = bench.subscribe(client)
        let task = bench.start(client)
        challenge(task)
        #expect(bench.challengeAnswers[task] == [.goOn])
        #expect(questions(over: stream).isEmpty)
    }

    @Test mutating func `an answer that is kept is good for the session's other tasks`() {
        let client = open()
        let tasks = [bench.start(client, 1), bench.start(client, 2)]
        challenge(tasks[0])
        _ = answer(client, isKept: true)
        challenge(tasks[1])
        #expect(bench.challengeAnswers[tasks[1]] == [.use(Self.credential)])
        challenge(tasks[1], .password(failureCount: 1))
        #expect(bench.challengeAnswers[tasks[1]]?.count == 1, "one that was refused is not")
        #expect(bench.wait(of: tasks[1])?.reason == .application)
    }

    @Test mutating func `an answer that is not kept is good for its task alone`() {
        let client = open()
        let tasks = [bench.start(client, 1), bench.start(client, 2)]
        challenge(tasks[0])
        _ = answer(client)
        challenge(tasks[1])
        #expect(bench.challengeAnswers[tasks[1]] == nil)
    }

    @Test mutating func `an application that answers no challenges is not asked again`() throws {
        let client = open()
        let tasks = [bench.start(client, 1), bench.start(client, 2)]
        challenge(tasks[0])
        challenge(tasks[1])
        _ = answer(client, 1, .goOn, answersNoOthers: true)
        #expect(bench.challengeAnswers == [tasks[0]: [.goOn], tasks[1]: [.goOn]])
        let stored = try #require(bench.database.current.sessions[client.session]?.record)
        #expect(Stored.configuration(stored.configuration).answersPasswords == false)
    }

    // MARK: Late answers

    @Test mutating func `an answer to a question that is gone changes nothing`() {
        let client = open()
        let task = bench.start(client)
        #expect(answer(client) == .done)
        challenge(task)
        bench.suspend(client)
        #expect(answer(client) == .done)
        #expect(bench.challengeAnswers.isEmpty)
        #expect(bench.machine.sessions[client.session]?.questionCount == 0)
    }

    @Test mutating func `only the process that has the session open may answer`() {
        let client = open()
        let task = bench.start(client)
        challenge(task)
        let other = bench.open("other", process: 2)
        let stranger = BenchClient(
            connection: other.connection,
            process: other.process,
            session: client.session
        )
        #expect(answer(stranger) == .refusal(.sessionNotOpen(session: client.session)))
        #expect(bench.challengeAnswers.isEmpty)
    }

    @Test mutating func `BG-36, DL-12: a task whose challenge is cancelled ends as cancelled`() {
        let client = open()
        let task = bench.start(client)
        challenge(task)
        _ = answer(client, 1, .cancel)
        #expect(bench.challengeAnswers[task] == [.cancel])
        bench.fail(task, .cancelled)
        #expect(bench.stored(task)?.state == .completed)
    }

    // MARK: Limits

    @Test mutating func `a task that waits for its application is in its own session's way alone`()
    {
        bench = MachineBench(.limits(total: 1, host: 1))
        bench.wait(5)
        let client = open(Self.configuration.limited(1))
        let task = bench.start(client, 1)
        let next = bench.start(client, 2)
        let other = bench.open("other", application: "other", process: 2)
        let third = bench.start(other)
        #expect(bench.loading == [task])
        challenge(task)
        #expect(bench.loading == [task, third])
        _ = answer(client)
        #expect(bench.loading == [task, third], "it goes on, whatever the limits are")
        bench.finish(third)
        #expect(!bench.loading.contains(next))
        bench.finish(task)
        #expect(bench.loading.contains(next))
        #expect(bench.machine.budget.count == 1)
    }

    @Test mutating func `a daemon stays while a question is open`() {
        let client = open(launch: nil)
        let task = bench.start(client)
        bench.disconnect(client)
        challenge(task)
        bench.wait(3600)
        #expect(!bench.hasExited)
    }
}

extension LoadChallenge {
    /// A server that wants a password.
    fileprivate static func password(failureCount: Int = 0) -> LoadChallenge {
        LoadChallenge(
            kind: .password(
                AuthenticationChallenge(scheme: "basic", parameters: ["realm": "music"]),
                isProxy: false
            ),
            origin: Origin(url: "http://a/").unsafelyUnwrapped,
            previousFailureCount: failureCount,
            response: HTTPResponseHead(
                status: 401,
                version: "HTTP/1.1",
                fields: [],
                url: "http://a/"
            )
        )
    }
}

extension Wire.SessionConfiguration {
    fileprivate func limited(_ limit: Int) -> Wire.SessionConfiguration {
        var configuration = self
        configuration.maximumConnectionsPerHost = limit
        return configuration
    }
}
