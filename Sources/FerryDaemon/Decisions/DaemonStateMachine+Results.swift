import FerryStore
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// A commit is durable.
    mutating func committed(
        _ receipt: Receipt,
        _ continuation: Continuation,
        at now: Date
    ) -> [Effect] {
        work.end(in: .store)
        let effects: [Effect] =
            switch continuation {
            case .nothing:
                []
            case .call(let call, _):
                [.answer(call, .done)] + changed(receipt.changes, at: now)
            case .taskSet(let call, let key, let setting):
                taskSet(setting, of: key, for: call, at: now)
            case .overridden(let call, let task):
                overridden(task, receipt, for: call, at: now)
            case .awaitingNetwork(let task):
                awaitingNetwork(task: task, at: now)
            case .moved(let task):
                stored(task, at: now)
            case .retimed(let task, let count):
                retimed(receipt, through: task, count: count, at: now)
            case .clockTakenUp:
                clockTakenUp(at: now)
            case .networkIsBack:
                searchForTasks(at: now)
            case .readyForSleep:
                readyForSleep()
            case .relinked(let call, let task):
                relinked(task, receipt, call: call, at: now)
            case .opened(let call, let connection, let process):
                opened(
                    receipt,
                    call: call,
                    attachment: Attachment(connection: connection, process: process),
                    at: now
                )
            case .created(let call):
                created(receipt, call: call, at: now)
            case .secured(let call, let task):
                copied(task: task, for: call, at: now)
            case .adopted(let task):
                adoptionStored(task: task, at: now)
            case .ended(let task, let ending, let resumeData, let events):
                ended(task: task, ending, resumeData: resumeData, events, receipt, at: now)
            case .backedOff(let task):
                backedOff(task: task, at: now)
            case .acknowledged(let call, let session):
                acknowledged(receipt, call: call, session: session, at: now)
            case .launching(let application, let session):
                launching(application, session: session, at: now)
            case .closed(let session):
                closed(session, at: now)
            case .forgotten(let call, let task, let session):
                forgotten(task, of: session, for: call)
            case .applicationForgotten(let application):
                forgotten(application)
            case .quit(let call, let application):
                quit(application, call: call)
            case .hookRemoved(let call, let application):
                hookRemoved(application, call: call)
            case .ratesSet(let call, let rates):
                ratesSet(rates, call: call)
            }
        return effects + evaluateIdleness(at: now)
    }

    /// A commit has failed permanently; nothing was changed.
    mutating func commitFailed(
        _ error: StoreError,
        _ continuation: Continuation,
        at now: Date
    ) -> [Effect] {
        work.end(in: .store)
        let effects: [Effect] =
            switch continuation {
            case .call(let call, let task), .relinked(let call, let task),
                .forgotten(let call, let task, _), .overridden(let call, let task):
                [.refuse(call, TransferInterfaceError(error, task: task))]
            case .taskSet(let call, let key, _):
                [.refuse(call, TransferInterfaceError(error, task: key.number))]
            case .opened(let call, _, _):
                openingFailed(call, error, at: now)
            case .created(let call):
                creationFailed(call, error)
            case .quit(let call, let application), .hookRemoved(let call, let application):
                objectionFailed(application, call: call, error, at: now)
            case .acknowledged(let call, _), .ratesSet(let call, _):
                [.refuse(call, TransferInterfaceError(error, task: 0))]
            case .secured(let call, let task):
                notSecured(task: task, for: call, error, at: now)
            case .adopted(let task):
                adoptionNotStored(task: task)
            case .ended(let task, let ending, _, _):
                endFailed(task: task, ending, error, at: now)
            case .launching(let application, _):
                launched(application, error: error.message, at: now)
            case .backedOff(let task):
                backedOff(task: task, at: now)
            case .closed(let session):
                closingFailed(session, at: now)
            case .awaitingNetwork(let task):
                awaitingNetwork(task: task, at: now)
            case .moved(let task):
                stored(task, at: now)
            case .retimed, .clockTakenUp:
                clockPassFailed(until: now.addingTimeInterval(policy.rereadDelay))
            case .networkIsBack:
                searchForTasks(at: now)
            case .readyForSleep:
                readyForSleep()
            case .nothing, .applicationForgotten:
                // Anything that was to be deleted is examined again when the daemon starts.
                []
            }
        return [.log(.warning, "the queue was not changed: \(error.message)", task: nil)] + effects
            + evaluateIdleness(at: now)
    }

    /// The store has answered a query.
    mutating func answered(_ query: Query, _ result: QueryResult, at now: Date) -> [Effect] {
        work.end(in: .store)
        let reading = query.question.flatMap { readings.answered($0) }
        defer { if let reading { readings.close(reading) } }
        let effects: [Effect] =
            switch (query, result) {
            case (.candidates(let search), .candidates(let candidates)):
                found(candidates, by: search, readBy: reading, at: now)
            case (.events(let session, _, _, let call), .events(let events)):
                read(events, session: session, for: call)
            case (.session, .session(let record?)):
                counted(record, at: now)
            case (.task(let key, let ending), .tasks(let tasks)):
                found(tasks.first, key, for: ending, readBy: reading, at: now)
            case (.repeated(let task, let call), .tasks(let tasks)):
                found(tasks.first, repeated: task, for: call, at: now)
            case (.secured(let task, let upload, let call), .tasks(let tasks)):
                found(tasks.first, secured: upload, task, for: call, at: now)
            case (.revise(let key, let revision, let call), .tasks(let tasks)):
                found(tasks.first, key, for: revision, call: call, readBy: reading)
            case (.sweep(let call, _, _), .tasks(let tasks)):
                found(tasks, ofSweep: call, readBy: reading, at: now)
            case (.overdue, .tasks(let tasks)):
                foundOverdue(tasks, readBy: reading, at: now)
            case (.dated, .tasks(let tasks)):
                found(dated: tasks, at: now)
            case (.earliestDeadline, .earliestDeadline(let deadline)):
                note(deadline: deadline)
            case (.totals, .totals(let totals)):
                counted(totals, at: now)
            case (_, .failed(let error)):
                queryFailed(query, error, at: now)
            default:
                // The session has gone in the meantime.
                []
            }
        return effects + evaluateIdleness(at: now)
    }

    private mutating func queryFailed(
        _ query: Query,
        _ error: StoreError,
        at now: Date
    ) -> [Effect] {
        let log = Effect.log(.error, "the queue cannot be read: \(error.message)", task: nil)
        let later = now.addingTimeInterval(policy.rereadDelay)
        switch query {
        case .candidates:
            search.end()
            return [log, setRetryTimer(later)]
        case .events(let session, _, _, let call):
            guard sessions[session]?.subscriber?.call == call else { return [log] }
            sessions.update(session) { $0.unsubscribe() }
            return [log, .refuse(call, TransferInterfaceError(error, task: 0))]
        case .task(_, let ending):
            return [log] + refuse(ending.caller, error)
        case .secured(let task, _, let call):
            // The upload sends the file that was passed.
            return [log] + known(task: task, for: call, at: now)
        case .repeated(_, let call):
            return [log, .refuse(call, TransferInterfaceError(error, task: 0))]
        case .revise(_, _, let call):
            return [log, .refuse(call, TransferInterfaceError(error, task: 0))]
        case .sweep(let call, .session(let session), _) where sessions[session] == nil:
            // The session is gone, together with the tasks that were to be ended.
            _ = endings.endSweep(of: call)
            return [log, .answer(call, .done)]
        case .sweep(let call, _, _):
            return [log] + refuse(.sweep(call), error)
        case .dated:
            return [log] + clockPassFailed(until: later)
        case .overdue, .earliestDeadline:
            return [log] + note(deadline: later)
        case .session(let session):
            guard sessions[session] != nil else { return [log] }
            sessions.update(session) { $0.notCounted() }
            return [log, .setTimer(.recount(session: session), later)]
        case .totals:
            return [log]
        }
    }
}
