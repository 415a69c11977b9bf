import FerryHTTP
import FerrySystem
import FerryTransfer
import FerryWire
import Foundation
import FoundationNetworking

/// Asks the app what the daemon cannot decide: challenges, and whether a task may begin.
@LoopActor
final class BackgroundQuestions {
    /// A question that the app was asked.
    private struct Asked {
        var number: Int
        /// Called when the app has answered, or no longer needs to.
        var wasSettled: (@LoopActor () -> Void)?
    }

    private let connection: BackgroundConnection
    private let configuration: URLSessionConfiguration.Values
    private let credentials: CredentialStore
    /// The latest question about each task; the daemon repeats those that are open.
    private var asked: [Int: Asked] = [:]

    nonisolated init(
        connection: BackgroundConnection,
        configuration: URLSessionConfiguration.Values
    ) {
        self.connection = connection
        self.configuration = configuration
        credentials = CredentialStore(configuration: configuration)
    }

    /// Returns whether a question is new to the app.
    func isNew(_ event: Wire.Event) -> Bool {
        guard let task = event.task, let number = event.question else { return false }
        return asked[task]?.number != number
    }

    /// Forgets the questions about a task that has ended.
    func forget(_ task: Int) { asked.removeValue(forKey: task)?.wasSettled?() }

    /// Asks the app.
    ///
    /// - Parameters:
    ///   - event: The question.
    ///   - task: The task that it is about.
    ///   - wasSettled: Called when the app has answered, or no longer needs to.
    func ask(
        _ event: Wire.Event,
        of task: URLSessionTask,
        wasSettled: @escaping @LoopActor () -> Void
    ) {
        guard let number = event.question else { return wasSettled() }
        // An earlier question about the task has expired.
        forget(task.taskIdentifier)
        asked[task.taskIdentifier] = Asked(number: number, wasSettled: wasSettled)
        switch event.kind {
        case .challenged:
            decide(on: event.challenge.flatMap { LoadChallenge($0) }, number, task)
        case .expired:
            askForLink(task, number, event.response?.value)
        default:
            askToBegin(task, number)
        }
    }

    /// Settles a question that the app has answered; returns false if the question has expired.
    private func settle(_ number: Int, of task: URLSessionTask) -> Bool {
        guard asked[task.taskIdentifier]?.number == number else { return false }
        defer { asked[task.taskIdentifier]?.wasSettled = nil }
        asked[task.taskIdentifier]?.wasSettled?()
        return true
    }

    // MARK: - Challenges

    /// Asks the app about a challenge; `nil` is one of a newer daemon that this library does not know.
    private func decide(on challenge: LoadChallenge?, _ number: Int, _ task: URLSessionTask) {
        guard let challenge else { return proceed(number, task) }
        let challenges = AppChallenges(task: task, credentials: credentials)
        challenges.decide(on: challenge) { decision in
            guard self.settle(number, of: task) else { return }
            var answer = Wire.AnswerChallenge(
                decision,
                to: number,
                ofTask: task.taskIdentifier
            )
            if !challenges.mayAnswer(challenge) { answer.answersNoOthers = true }
            self.connection.call(.answerChallenge(answer)) { error in
                Diagnostics.report("The daemon does not take the answer to a challenge: \(error)")
                LoopActor.perform { self.proceed(number, task) }
            }
        }
    }

    /// Answers with default handling.
    private func proceed(_ number: Int, _ task: URLSessionTask) {
        _ = settle(number, of: task)
        let none = AppChallenges.Decision(answer: .performDefaultHandling, isKept: false)
        connection.call(
            .answerChallenge(Wire.AnswerChallenge(none, to: number, ofTask: task.taskIdentifier))
        )
    }

    // MARK: - Tasks that begin later

    /// BG-21.
    private func askToBegin(_ task: URLSessionTask, _ number: Int) {
        guard let request = task.originalRequest else { return begin(task, number, nil) }
        typealias Answer = (URLSession.DelayedRequestDisposition, URLRequest?)
        let question: URLSessionTask.Question<any URLSessionTaskDelegate, Answer> = {
            session,
            delegate,
            answer in
            delegate.urlSession(session, task: task, willBeginDelayedRequest: request) {
                answer(($0, $1))
            }
        }
        task.ask(.delayedRequest, question, orElse: (.continueLoading, nil)) { given in
            switch given.0 {
            case .continueLoading: self.begin(task, number, nil)
            case .useNewRequest: self.begin(task, number, given.1)
            case .cancel: if self.settle(number, of: task) { task.cancel() }
            }
        }
    }

    private func begin(_ task: URLSessionTask, _ number: Int, _ request: URLRequest?) {
        guard settle(number, of: task) else { return }
        let identifier = task.taskIdentifier
        do throws(URLError) {
            let replacement = try request.map { request throws(URLError) in
                try TransferRequest(
                    request,
                    body: task is URLSessionUploadTask ? .onDemand : .inRequest,
                    configuration: configuration,
                    madeFor: task.madeFor
                )
            }
            if let replacement { task.recordRequest(replacement) }
            let new = replacement.map { Wire.Request($0) }
            connection.call(.begin(task: identifier, question: number, new)) { error in
                Self.refuseRequest(of: task, "\(error)")
            }
        } catch {
            Self.refuseRequest(of: task, error.localizedDescription)
        }
    }

    private nonisolated static func refuseRequest(of task: URLSessionTask, _ reason: String) {
        Diagnostics.report(
            "The new request of task \(task.taskIdentifier) cannot be sent, "
                + "so that the task is cancelled: \(reason)"
        )
        task.cancel()
    }

    // MARK: - Expired addresses

    private func askForLink(_ task: URLSessionTask, _ number: Int, _ head: HTTPResponseHead?) {
        task.askForLink(after: head, configuration: configuration) { [self] request in
            guard settle(number, of: task) else { return }
            if let request { task.recordRequest(request) }
            connection.call(
                .relink(
                    task: task.taskIdentifier,
                    question: number,
                    request.map { Wire.Request($0) }
                )
            ) { [connection] error in
                Diagnostics.report("The daemon does not take another address: \(error)")
                let identifier = task.taskIdentifier
                connection.call(.relink(task: identifier, question: number, nil))
            }
        }
    }
}
