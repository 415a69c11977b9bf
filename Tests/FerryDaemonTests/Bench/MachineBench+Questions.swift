import FerryHTTP
import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

@testable import FerryDaemon

extension MachineBench {
    /// What clients answer.
    static let credential = PasswordCredential(user: "jo", password: "secret")

    /// A server wants to know something.
    mutating func challenge(_ task: TaskID, _ challenge: LoadChallenge = .password()) {
        input { $0.challenged(task: task, challenge) }
        settle()
    }

    /// A client answers the question about a task.
    @discardableResult
    mutating func answer(
        _ client: BenchClient,
        _ identifier: Int = 1,
        _ disposition: Wire.ChallengeDisposition = .use,
        identity: Wire.Identity? = nil,
        isKept: Bool = false,
        answersNoOthers: Bool? = nil
    ) -> Outcome? {
        let answer = Wire.AnswerChallenge(
            session: client.session,
            identifier: identifier,
            question: 0,
            disposition: disposition,
            user: Self.credential.user,
            password: Self.credential.password,
            identity: identity,
            isKept: isKept,
            answersNoOthers: answersNoOthers
        )
        return settledCall(client) { $0.answerChallenge(answer, from: $1) }
    }

    /// A client makes a task that begins later, and lets it run.
    mutating func startLater(
        _ client: BenchClient,
        _ identifier: Int = 1,
        in seconds: Double = 60,
        asks: Bool = false,
        resumeData: Data? = nil
    ) -> TaskID {
        var create = Wire.CreateDownload.sample(client.session, identifier)
        create.earliestBegin = Wire.EarliestBegin(date: now + seconds, asks: asks)
        create.resumeData = resumeData
        create.resumed = true
        let outcome = settledCall(client) { [create] machine, caller in
            machine.createDownload(create, from: caller)
        }
        guard case .answer(.created(let task)) = outcome else { return 0 }
        return task
    }

    /// A client changes when its task begins.
    mutating func setBegin(
        _ client: BenchClient,
        _ identifier: Int = 1,
        in seconds: Double?,
        asks: Bool = false
    ) {
        let now = now
        let set = Wire.SetEarliestBegin(
            session: client.session,
            identifier: identifier,
            earliestBegin: seconds.map { Wire.EarliestBegin(date: now + $0, asks: asks) }
        )
        settledCall(client) { $0.setEarliestBegin(set, from: $1) }
    }

    /// A client lets its task begin.
    @discardableResult
    mutating func begin(_ client: BenchClient, _ request: Wire.Request? = nil) -> Outcome? {
        let begin = Wire.Begin(
            session: client.session,
            identifier: 1,
            question: 0,
            request: request
        )
        return settledCall(client) { $0.begin(begin, from: $1) }
    }

    /// What was asked over a subscription.
    func questions(
        over stream: CallID,
        _ kind: Wire.EventKind = .challenged
    ) -> [Wire.Event] {
        events[stream]?.filter { $0.kind == kind } ?? []
    }
}

extension Wire.SessionConfiguration {
    /// The sample, for an application that has something to say.
    static let asking: Wire.SessionConfiguration = {
        var configuration = sample
        configuration.answersPasswords = true
        configuration.answersCertificates = true
        return configuration
    }()

    /// The same with another limit.
    func limited(_ limit: Int) -> Wire.SessionConfiguration {
        var configuration = self
        configuration.maximumConnectionsPerHost = limit
        return configuration
    }
}

extension LoadChallenge {
    /// A server that wants a password.
    static func password(failureCount: Int = 0) -> LoadChallenge {
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

    /// A server that wants to know who the client is.
    static let certificate = LoadChallenge(
        kind: .clientCertificate(CertificateRequest(host: "a", issuers: [])),
        origin: Origin(url: "http://a/").unsafelyUnwrapped
    )
}
