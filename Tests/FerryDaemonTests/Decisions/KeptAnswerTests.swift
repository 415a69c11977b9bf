import FerryHTTP
import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

/// What an application has answered is good for its other tasks, and for nobody else's.
@Suite(.timeLimit(.minutes(5))) struct KeptAnswerTests {
    private var bench = MachineBench()

    init() { bench.wait(5) }

    /// A process answers a challenge such that it is kept, and leaves with a task in its session.
    private mutating func leaveAnswer(
        _ challenge: LoadChallenge = .password(),
        process: Int64 = 1
    ) {
        let client = bench.open(process: process, configuration: .asking)
        let task = bench.start(client)
        bench.start(client, 2)
        bench.challenge(task, challenge)
        bench.answer(
            client,
            identity: Wire.Identity(format: .pem, content: Data([1, 2])),
            isKept: true
        )
        bench.finish(task)
        bench.disconnect(client)
    }

    @Test mutating func `an answer that is kept is good for the session's other tasks`() {
        let client = bench.open(configuration: .asking)
        let tasks = [bench.start(client, 1), bench.start(client, 2)]
        bench.challenge(tasks[0])
        bench.answer(client, isKept: true)
        bench.challenge(tasks[1])
        #expect(bench.challengeAnswers[tasks[1]] == [.use(MachineBench.credential)])
        bench.challenge(tasks[1], .password(failureCount: 1))
        #expect(bench.challengeAnswers[tasks[1]]?.count == 1, "one that was refused is not")
        #expect(bench.wait(of: tasks[1])?.reason == .application)
    }

    @Test mutating func `an answer that is kept serves while its application is away`() throws {
        leaveAnswer()
        let second = try #require(bench.loading.first)
        bench.challenge(second)
        #expect(bench.challengeAnswers[second] == [.use(MachineBench.credential)])
        #expect(bench.launches.isEmpty)
    }

    @Test mutating func `SEC-9: an answer of a process that cannot be seen is not the next one's`()
        throws
    {
        leaveAnswer(process: 0)
        bench.open(process: 0, configuration: .asking)
        let second = try #require(bench.loading.first)
        bench.challenge(second)
        #expect(bench.challengeAnswers[second] == nil)
    }

    @Test func `a proxy's password is not the server's, nor that of another realm or scheme`() {
        func challenge(
            isProxy: Bool = false,
            scheme: String = "basic",
            realm: String = "music",
            url: String = "http://a/"
        ) -> LoadChallenge {
            var challenge = LoadChallenge.password()
            challenge.kind = .password(
                AuthenticationChallenge(scheme: scheme, parameters: ["realm": realm]),
                isProxy: isProxy
            )
            challenge.origin = Origin(url: url).unsafelyUnwrapped
            return challenge
        }
        var answers = KeptAnswers()
        answers.keep(.use(MachineBench.credential), to: challenge(isProxy: true))
        #expect(answers.answer(to: challenge(isProxy: true)) == .use(MachineBench.credential))
        #expect(answers.answer(to: challenge()) == nil)
        #expect(answers.answer(to: challenge(isProxy: true, scheme: "digest")) == nil)
        #expect(answers.answer(to: challenge(isProxy: true, realm: "films")) == nil)
        #expect(answers.answer(to: challenge(isProxy: true, url: "https://a/")) == nil)
    }

    @Test mutating func `an answer that is not kept is good for its task alone`() {
        let client = bench.open(configuration: .asking)
        let tasks = [bench.start(client, 1), bench.start(client, 2)]
        bench.challenge(tasks[0])
        bench.answer(client)
        bench.challenge(tasks[1])
        #expect(bench.challengeAnswers[tasks[1]] == nil)
    }

    @Test mutating func `another process that has nothing to say does not inherit an answer`() {
        leaveAnswer()
        let next = bench.open(process: 2, configuration: .sample)
        let task = bench.start(next, 3)
        bench.challenge(task)
        #expect(bench.challengeAnswers[task] == [.performDefaultHandling])
    }

    @Test mutating func `another process is asked itself`() {
        leaveAnswer()
        let next = bench.open(process: 2, configuration: .asking)
        let stream = bench.subscribe(next)
        let task = bench.start(next, 3)
        bench.challenge(task)
        #expect(bench.questions(over: stream).count == 1)
        #expect(bench.challengeAnswers[task] == nil)
    }

    @Test mutating func `another process gets connections of its own`() {
        leaveAnswer()
        let next = bench.connect(process: 2)
        let open = Wire.OpenSession.sample("session", "app", .sample, .asking)
        let mark = bench.effects.count
        bench.settledCall(next) { $0.openSession(open, from: $1) }
        #expect(bench.effects[mark...].contains(.forgetConnections(ofSession: 1)))
    }

    @Test mutating func `a session that is made again does not inherit an answer`() {
        let client = bench.open(configuration: .asking)
        let task = bench.start(client)
        bench.challenge(task)
        bench.answer(client, isKept: true)
        bench.finish(task)
        bench.close(client, cancel: true)
        let again = bench.open(configuration: .asking)
        let second = bench.start(again, 3)
        bench.challenge(second)
        #expect(bench.challengeAnswers[second] == nil)
    }

    @Test mutating func `BG-37: a certificate that was refused is asked for again`() {
        let client = bench.open(configuration: .asking)
        let tasks = [bench.start(client, 1), bench.start(client, 2)]
        bench.challenge(tasks[0], .certificate)
        bench.answer(
            client,
            identity: Wire.Identity(format: .pem, content: Data([1, 2])),
            isKept: true
        )
        let request = TransferRequest(url: "http://a/2")
        let session = client.sessionID
        #expect(bench.machine.sessions[session]?.keptAnswers.identity(for: request) != nil)
        bench.fail(tasks[0], .clientCertificateRejected)
        #expect(bench.machine.sessions[session]?.keptAnswers.identity(for: request) == nil)
        bench.challenge(tasks[1], .certificate)
        #expect(bench.challengeAnswers[tasks[1]] == nil)
    }

    @Test(arguments: [
        LoadChallengeAnswer.identify(HTTPIdentity([1, 2], format: .pem)), .performDefaultHandling,
        .reject,
    ])
    func `BG-37: whatever a client has said of who it is, it is asked again after a refusal`(
        answer: LoadChallengeAnswer
    ) {
        var answers = KeptAnswers()
        answers.keep(answer, to: .certificate)
        answers.keep(.use(MachineBench.credential), to: .password())
        #expect(answers.answer(to: .certificate) != nil)
        answers.forgetIdentities()
        #expect(answers.answer(to: .certificate) == nil)
        #expect(answers.answer(to: .password()) == .use(MachineBench.credential))
    }

    @Test mutating func `BG-37: who had no certificate is asked again after a refusal`() {
        let client = bench.open(configuration: .asking)
        let tasks = [bench.start(client, 1), bench.start(client, 2)]
        bench.challenge(tasks[0], .certificate)
        bench.answer(client, 1, .goOn, isKept: true)
        #expect(bench.challengeAnswers[tasks[0]] == [.performDefaultHandling])
        bench.fail(tasks[0], .clientCertificateRejected)
        bench.challenge(tasks[1], .certificate)
        #expect(bench.challengeAnswers[tasks[1]] == nil)
        #expect(bench.wait(of: tasks[1])?.reason == .application)
    }

    @Test func `who leaves a bad certificate to the system has not approved of it`() {
        func challenge(_ verdict: HTTPServerTrust.Verdict) -> LoadChallenge {
            LoadChallenge(
                kind: .serverTrust(
                    HTTPServerTrust(host: "a", certificates: [[1]], verdict: verdict)
                ),
                origin: Origin(url: "https://a/").unsafelyUnwrapped
            )
        }
        let bad = challenge(.untrusted("nobody knows it"))
        var answers = KeptAnswers()
        answers.keep(.performDefaultHandling, to: bad)
        #expect(answers.answer(to: bad) == nil)
        answers.keep(.trust, to: bad)
        #expect(answers.answer(to: bad) == .trust)
        var others = KeptAnswers()
        others.keep(.performDefaultHandling, to: challenge(.trusted))
        #expect(others.answer(to: challenge(.trusted)) == .trust)
    }
}
