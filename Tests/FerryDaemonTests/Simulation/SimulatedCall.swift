import FerryStore
import FerrySystem
import FerryWire
import FoundationEssentials

@testable import FerryDaemon

/// A client's call on its way.
final class SimulatedCall {
    /// What it asks for; numbers of sessions are filled in when it is sent.
    enum Content {
        case open(Wire.OpenSession)
        case create(
            identifier: Int,
            Wire.Request,
            resumeData: TaskID?,
            resource: Int,
            resumed: Bool,
            earliestBegin: Wire.EarliestBegin?,
            options: Wire.TransferOptions?
        )
        case createUpload(
            identifier: Int,
            Wire.Request,
            of: FileIdentity,
            resumeData: Data?,
            resumed: Bool
        )
        case resume(Int)
        case suspend(Int)
        case cancel(Int)
        case cancelProducingResumeData(Int)
        case setPriority(Int, Double)
        case setOptions(Int, Wire.TransferOptions?)
        case setTaskRates(TaskID, SharedRates)
        case setTaskPriority(TaskID, Double)
        case begin(Int, question: Int)
        case relink(Int, question: Int?, Wire.Request?)
        case relinkTask(TaskID, url: String)
        case answerChallenge(Wire.AnswerChallenge)
        case acknowledge([Int64])
        case closeSession(cancel: Bool)
        case subscribe
        case release
        case pauseTask(TaskID)
        case resumeTask(TaskID)
        case cancelTask(TaskID)
        case quit(String)
        case removeHook(String)
        case stop
    }

    /// What came of it.
    enum Outcome {
        case answer(DaemonStateMachine.Answer)
        case refusal(TransferInterfaceError)
    }

    let content: Content
    /// The number of the session it is about, as it is passed with calls.
    var session: Int64 = 0
    var sessionID: SessionID { SessionID(session) }
    /// Whether it is made again after a connection was lost.
    var isRepeated = false
    /// Called when it is answered.
    let completion: (Outcome) -> Void

    init(_ content: Content, completion: @escaping (Outcome) -> Void = { _ in }) {
        self.content = content
        self.completion = completion
    }

    /// Gives it to the machine.
    func perform(
        on machine: inout DaemonStateMachine,
        _ caller: DaemonStateMachine.Caller
    ) {
        switch content {
        case .open(let open): machine.openSession(open, from: caller)
        case .create(
            let identifier,
            let request,
            let resumeData,
            _,
            let resumed,
            let begin,
            let options
        ):
            machine.createDownload(
                Wire.CreateDownload(
                    session: session,
                    identifier: identifier,
                    request: request,
                    resumeData: resumeData.map { Data("\($0)".utf8) },
                    priority: 0.5,
                    resumed: resumed ? true : nil,
                    earliestBegin: begin,
                    options: options
                ),
                from: caller
            )
        case .createUpload(let identifier, let request, let source, let resumeData, let resumed):
            machine.createUpload(
                Wire.CreateUpload(
                    session: session,
                    identifier: identifier,
                    request: request,
                    path: "/source",
                    resumeData: resumeData,
                    priority: 0.5,
                    resumed: resumed ? true : nil
                ),
                of: source,
                from: caller
            )
        case .acknowledge(let sequences):
            machine.acknowledge(
                Wire.Acknowledge(
                    session: session,
                    sequence: sequences[0],
                    otherSequences: sequences.count > 1 ? Array(sequences.dropFirst()) : nil
                ),
                from: caller
            )
        case .closeSession(let cancel):
            machine.closeSession(Wire.CloseSession(session: session, cancel: cancel), from: caller)
        case .subscribe: machine.subscribe(session: sessionID, from: caller)
        case .release: machine.releaseSession(sessionID, from: caller)
        case .pauseTask(let id): machine.pauseTask(id, from: caller)
        case .resumeTask(let id):
            machine.resumeTask(
                id,
                overridingConditions: !machine.watch.avoided.isEmpty
                    && caller.call.rawValue.isMultiple(of: 2),
                from: caller
            )
        case .cancelTask(let id): machine.cancelTask(id, from: caller)
        case .relinkTask(let id, let url): machine.relinkTask(id, to: url, from: caller)
        case .quit(let name): machine.quitApplication(name, from: caller)
        case .removeHook(let name): machine.removeHook(name, from: caller)
        case .setTaskRates(let id, let rates):
            machine.setRates(rates, ofTask: id, from: caller)
        case .setTaskPriority(let id, let priority):
            machine.setPriority(priority, ofTask: id, from: caller)
        case .stop: machine.stopDaemon(call: caller.call)
        case .resume, .suspend, .cancel, .cancelProducingResumeData, .setPriority, .setOptions,
            .begin,
            .relink, .answerChallenge:
            performOnTask(&machine, caller)
        }
    }

    private func performOnTask(
        _ machine: inout DaemonStateMachine,
        _ caller: DaemonStateMachine.Caller
    ) {
        switch content {
        case .resume(let identifier):
            let resume = Wire.Resume(session: session, identifier: identifier)
            machine.resume(resume, from: caller)
        case .suspend(let identifier):
            let suspend = Wire.Suspend(session: session, identifier: identifier)
            machine.suspend(suspend, from: caller)
        case .cancel(let identifier):
            let cancel = Wire.Cancel(session: session, identifier: identifier)
            machine.cancel(cancel, from: caller)
        case .cancelProducingResumeData(let identifier):
            let cancel = Wire.CancelProducingResumeData(session: session, identifier: identifier)
            machine.cancelProducingResumeData(cancel, from: caller)
        case .setPriority(let identifier, let priority):
            let set = Wire.SetPriority(
                session: session,
                identifier: identifier,
                priority: priority
            )
            machine.setPriority(set, from: caller)
        case .setOptions(let identifier, let options):
            let set = Wire.SetOptions(session: session, identifier: identifier, options: options)
            machine.setOptions(set, from: caller)
        case .begin(let identifier, let question):
            let begin = Wire.Begin(
                session: session,
                identifier: identifier,
                question: question
            )
            machine.begin(begin, from: caller)
        case .relink(let identifier, let question, let request):
            let relink = Wire.Relink(
                session: session,
                identifier: identifier,
                question: question,
                request: request
            )
            machine.relink(relink, from: caller)
        case .answerChallenge(var answer):
            answer.session = session
            machine.answerChallenge(answer, from: caller)
        default:
            break
        }
    }
}
