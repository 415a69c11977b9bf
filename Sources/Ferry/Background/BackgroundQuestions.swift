import FerryHTTP
import FerrySystem
import FerryTransfer
import FerryWire
import Foundation
import FoundationNetworking

/// Has the app decide what the daemon cannot: challenges, and whether a task may begin.
@LoopActor
final class BackgroundQuestions {
    private let connection: BackgroundConnection
    private let configuration: URLSessionConfiguration.Values
    private let credentials: CredentialStore
    /// The latest question that the app was asked about a task; the daemon repeats those that are open.
    private var asked: [Int: Int] = [:]

    nonisolated init(
        connection: BackgroundConnection,
        configuration: URLSessionConfiguration.Values
    ) {
        self.connection = connection
        self.configuration = configuration
        credentials = CredentialStore(configuration: configuration)
    }

    /// Takes note of a question.
    ///
    /// - Returns: Whether the app was not asked it before.
    func note(_ event: Wire.Event) -> Bool {
        guard let task = event.task, let question = event.question, asked[task] != question else {
            return false
        }
        asked[task] = question
        return true
    }

    /// A task has ended.
    func forget(_ task: Int) { asked[task] = nil }

    /// Asks the app.
    ///
    /// - Parameters:
    ///   - event: The question.
    ///   - task: The task that it is about.
    ///   - wasTold: Called when the app has been asked.
    func ask(_ event: Wire.Event, of task: URLSessionTask, wasTold: @escaping @Sendable () -> Void)
    {
        guard event.kind == .challenged else { return askToBegin(task, wasTold) }
        guard let question = event.question else { return wasTold() }
        guard let challenge = event.challenge.flatMap({ LoadChallenge($0) }) else {
            // A newer daemon's, of which this library knows nothing.
            wasTold()
            let none = AppChallenges.Decision(answer: .goOn)
            return connection.call(
                .answerChallenge(.init(none, to: question, ofTask: task.taskIdentifier))
            )
        }
        let challenges = AppChallenges(task: task, credentials: credentials)
        challenges.decide(on: challenge, wasTold: wasTold) { [connection] decision in
            var answer = Wire.AnswerChallenge(
                decision,
                to: question,
                ofTask: task.taskIdentifier
            )
            if !challenges.mayAnswer(challenge) { answer.answersNoOthers = true }
            connection.call(.answerChallenge(answer))
        }
    }

    // MARK: - Tasks that begin later

    /// BG-21.
    private func askToBegin(_ task: URLSessionTask, _ wasTold: @escaping @Sendable () -> Void) {
        guard let request = task.originalRequest else {
            wasTold()
            return begin(task, nil)
        }
        let answer = Answer { (given: (URLSession.DelayedRequestDisposition, URLRequest?)) in
            switch given.0 {
            case .continueLoading: self.begin(task, nil)
            case .useNewRequest: self.begin(task, given.1)
            case .cancel: task.cancel()
            }
        }
        task.ask(
            { session, delegate in
                delegate.urlSession(session, task: task, willBeginDelayedRequest: request) {
                    disposition,
                    request in
                    LoopActor.perform { answer((disposition, request)) }
                }
            },
            wasTold: wasTold,
            orElse: { answer((.continueLoading, nil)) }
        )
    }

    private func begin(_ task: URLSessionTask, _ request: URLRequest?) {
        guard let request else {
            return connection.call(.begin(task: task.taskIdentifier, nil))
        }
        do throws(URLError) {
            let replacement = try TransferRequest(
                request,
                body: task is URLSessionUploadTask ? .onDemand : .inRequest,
                configuration: configuration
            )
            task.noteRequest(replacement)
            connection.call(.begin(task: task.taskIdentifier, Wire.Request(replacement)))
        } catch {
            Diagnostics.report(
                "The new request of task \(task.taskIdentifier) cannot be sent, "
                    + "so that the task is cancelled: \(error.localizedDescription)"
            )
            task.cancel()
        }
    }
}
