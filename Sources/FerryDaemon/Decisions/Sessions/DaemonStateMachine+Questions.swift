import FerryHTTP
import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// A question that an application must answer about a task.
    struct Question: Hashable, Sendable {
        /// The number that distinguishes it from later questions of the same task.
        let number: Int
        /// The subject.
        let subject: Subject
        /// The subscription over which it was sent.
        private(set) var subscription: CallID?

        init(number: Int, subject: Subject) {
            self.number = number
            self.subject = subject
        }

        /// It was sent over a subscription.
        mutating func sent(over subscription: CallID) { self.subscription = subscription }
    }

    /// A subject that an application can be asked about.
    enum Subject: Hashable, Sendable {
        /// Whether it may begin.
        case begin
        /// A challenge of its server or proxy.
        case challenge(LoadChallenge)
        /// The new address of the resource, as the present one leads to this response.
        case link(Wire.Response?)
    }

    // MARK: Asking

    /// A transfer's server or proxy has sent a challenge (BG-36).
    mutating func challenged(task id: TaskID, _ challenge: LoadChallenge) {
        guard let task = running[id], task.phase == .loading,
            let session = sessions[task.record.sessionID]
        else { return }
        if watch.forbids(avoided(by: task)) {
            // Its server has all of an upload and does not take it: it would be sent again.
            halt(forConditions: task)
            return
        }
        if let known = session.keptAnswers.answer(to: challenge) { return pass(known, to: id) }
        guard session.answers(challenge) else {
            return turn.add(.answerChallenge(task: id, .performDefaultHandling))
        }
        // The number is limited, as each may hold a connection. The rest must not block other tasks either.
        guard running.values.count(where: { $0.slot == .waiting }) < policy.maximumWaitingTransfers
        else { return postpone(task) }
        running.beginWait(id)
        ask(.challenge(challenge), about: id)
        loadAlone(insteadOfFollowing: id)
    }

    /// Asks an application whether a task may begin now (BG-21).
    ///
    /// The task needs no connection yet and blocks no other. The number is limited, as each is held in memory.
    mutating func askToBegin(_ task: TaskRecord) {
        running.start(RunningTask(task, at: now), of: application(of: task))
        askWithoutConnection(.begin, about: task.id)
    }

    /// Asks about a task that has no transfer meanwhile.
    mutating func askWithoutConnection(_ subject: Subject, about id: TaskID) {
        guard running.values.count(where: { $0.phase == .asking }) < policy.maximumQuestions
        else {
            if let task = running[id] { postpone(task) }
            return
        }
        ask(subject, about: id)
    }

    /// Postpones a task, because too many wait for their applications.
    private mutating func postpone(_ task: RunningTask) {
        let id = task.record.id
        running.update(id) { $0.backOff() }
        commit(
            [
                .setRetry(
                    task: id,
                    attempts: task.attempts,
                    notBefore: now.addingTimeInterval(policy.questionDelay),
                    lastError: task.record.lastError
                )
            ],
            .relaxed,
            then: .backedOff(task: id)
        )
    }

    private mutating func ask(_ subject: Subject, about id: TaskID) {
        guard let session = running[id]?.record.sessionID else { return }
        // An answer to a question of an earlier daemon does not answer this one.
        let question = Question(number: random.makeNumber(), subject: subject)
        running.update(id) { $0.ask(question) }
        sessions.update(session) { $0.beginQuestion() }
        turn.add(.log(.info, "waits for its application: \(question.detail)", task: id))
        turn.add(.changed(task: id))
        notifyQuestions(session: session)
    }

    // MARK: Sending questions

    /// Sends a client the questions that it was not sent over the same subscription.
    mutating func notifyQuestions(session id: SessionID) {
        guard let session = sessions[id], session.questionCount > 0,
            let subscriber = session.subscriber
        else { return }

        for task in running.sorted(where: { $0.record.sessionID == id }) {
            guard let question = task.question, question.subscription != subscriber.call else {
                continue
            }
            guard send(event(question, of: task), session: id) else { break }
            running.update(task.record.id) { $0.sentQuestion(over: subscriber.call) }
        }
    }

    private func event(_ question: Question, of task: RunningTask) -> Wire.Event {
        var event = Wire.Event(
            kind: .delayed,
            task: task.record.identifier,
            sentByteCount: task.sentByteCount,
            question: question.number
        )
        switch question.subject {
        case .begin:
            event.request = task.request
        case .challenge(let challenge):
            event.kind = .challenged
            event.challenge = Wire.Challenge(challenge)
        case .link(let response):
            event.kind = .expired
            event.response = response.map { Encoded($0) }
        }
        return event
    }

    // MARK: Answers

    /// A client has decided about a challenge.
    mutating func answerChallenge(_ given: Wire.AnswerChallenge, from caller: Caller) {
        guard hasOpen(given.sessionID, caller) else { return }
        turn.add(.answer(caller.call, .done))
        let task = task(given.key, asked: given.question)
        // The question may be one of an attempt that has ended, or of an earlier daemon.
        guard let task, let challenge = task.question?.challenge else { return }
        let answer = LoadChallengeAnswer(given, to: challenge)
        if given.isKept == true {
            sessions.update(given.sessionID) { $0.keep(answer, to: challenge) }
        }
        proceed(task, with: answer)
        if given.answersNoOthers == true { askNoMore(challenge, given.sessionID) }
    }

    private mutating func proceed(_ task: RunningTask, with answer: LoadChallengeAnswer) {
        let id = task.record.id
        running.update(id) { $0.endQuestion() }
        running.endWait(id, at: now)
        withdrawQuestion(of: task)
        pass(answer, to: id)
        turn.add(.changed(task: id))
    }

    /// Passes an answer on to a transfer, which makes its request again with a password.
    private mutating func pass(_ answer: LoadChallengeAnswer, to id: TaskID) {
        if case .use = answer { running.update(id) { $0.sendAgain() } }
        turn.add(.answerChallenge(task: id, answer))
    }

    /// An application does not decide about challenges of a kind: what waits for it continues without its answer.
    private mutating func askNoMore(_ challenge: LoadChallenge, _ id: SessionID) {
        guard sessions[id]?.answers(challenge) == true else { return }
        sessions.update(id) { $0.answersNone(like: challenge) }
        guard let configuration = sessions[id]?.configuration else { return }
        let change = Mutation.setConfiguration(session: id, Encoded(configuration))
        commit([change], .relaxed)
        answerUnanswerable(id)
    }

    /// Continues the transfers that wait for an answer of an application that does not decide about their challenges.
    mutating func answerUnanswerable(_ id: SessionID) {
        for task in running.sorted(where: { $0.record.sessionID == id }) {
            guard let challenge = task.question?.challenge,
                sessions[id]?.answers(challenge) == false
            else { continue }
            proceed(task, with: .performDefaultHandling)
        }
    }

    /// Withdraws the question of a task, because its application has answered or the task ends.
    mutating func withdrawQuestion(of task: RunningTask) {
        let id = task.record.sessionID
        guard let session = sessions[id] else { return }
        sessions.update(id) { $0.endQuestion() }
        // An application that is running is not started. One that gives wrong answers and ends is started later each
        // time.
        let isThere =
            session.attachment != nil && (task.question?.challenge?.previousFailureCount ?? 0) == 0
        if isThere { relaunchSucceeded(for: session) }
    }

    // MARK: Tasks that begin later

    /// A client changes a task's earliest begin date (BG-20).
    mutating func setEarliestBegin(_ set: Wire.SetEarliestBegin, from caller: Caller) {
        guard hasOpen(set.sessionID, caller) else { return }
        let key = set.key
        let task = running[key]
        if let task, task.phase != .asking { return turn.add(.answer(caller.call, .done)) }
        let state = set.earliestBegin.flatMap { DelayState($0, at: clock.wall(at: now)) }
        commit(
            [
                .delayTask(
                    key,
                    notBefore: state?.date.map { clock.moment(ofWall: $0) },
                    state.map { Encoded($0) },
                    at: now
                )
            ],
            then: .call(caller.call, about: key)
        )
        // The open question is obsolete.
        if let task { stop(task: task.record.id) }
    }

    /// A client lets a task begin after it was asked (BG-21).
    mutating func begin(_ begin: Wire.Begin, from caller: Caller) {
        guard hasOpen(begin.sessionID, caller) else { return }
        if let request = begin.request {
            guard accepts(request, call: caller.call) else { return }
        }
        let task = task(begin.key, asked: begin.question)
        guard task?.question?.subject == .begin else {
            return turn.add(.answer(caller.call, .done))
        }
        let key = begin.key
        let state = begin.request.map { DelayState(request: $0) }
        commit(
            [.beginTask(key, state.map { Encoded($0) }, at: now)],
            then: .call(caller.call, about: key)
        )
    }

    /// Returns the task whose application was asked a question, while that is open.
    func task(_ key: TaskKey, asked question: Int) -> RunningTask? {
        let task = running[key]
        return task?.question?.number == question ? task : nil
    }
}

extension DaemonStateMachine.Question {
    /// The challenge of its server or proxy, if that is the subject.
    var challenge: LoadChallenge? {
        if case .challenge(let challenge) = subject { challenge } else { nil }
    }

    /// The subject, for people.
    var detail: String {
        switch subject {
        case .begin: "whether the transfer may begin"
        case .challenge(let challenge): Self.detail(of: challenge)
        case .link(let response):
            "a new address, as the server answers \(response.map { "\($0.status)" } ?? "nothing")"
        }
    }

    private static func detail(of challenge: LoadChallenge) -> String {
        switch challenge.kind {
        case .password(_, isProxy: true): return "a password for the proxy"
        case .password(_, isProxy: false): return "a password for \(challenge.origin)"
        case .serverTrust: return "whether to trust \(challenge.origin)"
        case .clientCertificate: return "a certificate for \(challenge.origin)"
        }
    }
}
