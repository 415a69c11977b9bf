import FerryStore
import FerryWire
import FoundationEssentials

extension DaemonStateMachine {
    /// A commit is durable.
    mutating func committed(_ receipt: Receipt, _ continuation: Continuation) {
        work.end(in: .store)
        switch continuation {
        case .nothing:
            break
        case .call(let call, _):
            turn.add(.answer(call, .done))
            changed(receipt.changes)
        case .taskSet(let call, let key, let setting):
            taskSet(setting, of: key, for: call)
        case .overridden(let call, let task):
            overridden(task, receipt, for: call)
        case .awaitingNetwork(let task):
            awaitingNetwork(task: task)
        case .moved(let task):
            stored(task)
        case .retimed(let task, let count):
            retimed(receipt, through: task, count: count)
        case .clockTakenUp:
            clockTakenUp()
        case .networkWaitEnded:
            networkWaitEnded()
        case .readyForSleep:
            readyForSleep()
        case .relinked(let call, let task):
            relinked(task, receipt, call: call)
        case .opened(let call, let connection, let process):
            opened(
                receipt,
                call: call,
                attachment: Attachment(connection: connection, process: process)
            )
        case .created(let call):
            created(receipt, call: call)
        case .secured(let call, let task):
            copied(task: task, for: call)
        case .adopted(let task):
            adoptionStored(task: task)
        case .ended(let task, let ending, let resumeData, let end):
            ended(task: task, ending, resumeData: resumeData, end, receipt)
        case .backedOff(let task):
            backedOff(task: task)
        case .acknowledged(let call, let session):
            acknowledged(receipt, call: call, session: session)
        case .launching(let application, let session):
            launching(application, session: session)
        case .closed(let session):
            closed(session)
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
    }

    /// A commit has failed permanently; nothing was changed.
    mutating func commitFailed(_ error: StoreError, _ continuation: Continuation) {
        work.end(in: .store)
        turn.add(.log(.warning, "the queue was not changed: \(error.message)", task: nil))
        switch continuation {
        case .relinked(let call, let task), .forgotten(let call, let task, _),
            .overridden(let call, let task):
            turn.add(.refuse(call, TransferInterfaceError(error, task: .id(task))))
        case .call(let call, let key):
            turn.add(.refuse(call, TransferInterfaceError(error, task: key)))
        case .taskSet(let call, let key, _):
            turn.add(.refuse(call, TransferInterfaceError(error, task: key)))
        case .opened(let call, _, _):
            openingFailed(call, error)
        case .created(let call):
            creationFailed(call, error)
        case .quit(let call, let application), .hookRemoved(let call, let application):
            objectionFailed(application, call: call, error)
        case .acknowledged(let call, _), .ratesSet(let call, _):
            turn.add(.refuse(call, TransferInterfaceError(error)))
        case .secured(let call, let task):
            notSecured(task: task, for: call, error)
        case .adopted(let task):
            adoptionNotStored(task: task)
        case .ended(let task, let ending, _, _):
            endFailed(task: task, ending, error)
        case .launching(let application, _):
            launched(application, error: error.message)
        case .backedOff(let task):
            backedOff(task: task)
        case .awaitingNetwork(let task):
            awaitingNetwork(task: task)
        case .moved(let task):
            stored(task)
        case .retimed, .clockTakenUp:
            clockPassFailed(until: now.addingTimeInterval(policy.rereadDelay))
        case .networkWaitEnded:
            networkWaitEnded()
        case .readyForSleep:
            readyForSleep()
        case .nothing, .closed, .applicationForgotten:
            // Anything that was to be deleted is examined again when the daemon starts.
            break
        }
    }

    /// The store has answered a query.
    mutating func answered(_ query: Query, _ result: Result<Finding, StoreError>) {
        work.end(in: .store)
        let reading = query.question.flatMap { readings.answered($0) }
        defer { if let reading { readings.close(reading) } }
        switch result {
        case .success(let finding): found(finding, readBy: reading)
        case .failure(let error): queryFailed(query, error)
        }
    }

    private mutating func found(_ finding: Finding, readBy reading: Readings.Reading?) {
        switch finding {
        case .candidates(let candidates, let search):
            found(candidates, by: search, readBy: reading)
        case .events(let events, let session, let call):
            read(events, session: session, for: call)
        case .session(let record):
            if let record { counted(record) }
        case .task(let task, let key, let ending):
            found(task, key, for: ending, readBy: reading)
        case .repeated(let task, let number, let call):
            found(task, repeated: number, for: call)
        case .secured(let task, let number, let upload, let call):
            found(task, secured: upload, number, for: call)
        case .revise(let task, let key, let revision, let call):
            found(task, key, for: revision, call: call, readBy: reading)
        case .sweep(let tasks, let call):
            found(tasks, ofSweep: call, readBy: reading)
        case .overdue(let tasks):
            foundOverdue(tasks, readBy: reading)
        case .dated(let tasks):
            found(dated: tasks)
        case .earliestDeadline(let deadline):
            record(deadline: deadline)
        case .totals(let totals):
            counted(totals)
        }
    }

    private mutating func queryFailed(_ query: Query, _ error: StoreError) {
        turn.add(.log(.error, "the queue cannot be read: \(error.message)", task: nil))
        let later = now.addingTimeInterval(policy.rereadDelay)
        switch query {
        case .candidates:
            search.end()
            setRetryTimer(later)
        case .events(let session, _, _, let call):
            guard sessions[session]?.subscriber?.call == call else { return }
            sessions.update(session) { $0.unsubscribe() }
            turn.add(.refuse(call, TransferInterfaceError(error)))
        case .task(_, let ending):
            refuse(ending.caller, error)
        case .secured(let task, _, let call):
            // The upload sends the file that was passed.
            known(task: task, for: call)
        case .repeated(_, let call), .revise(_, _, let call):
            turn.add(.refuse(call, TransferInterfaceError(error)))
        case .sweep(let call, .session(let session), _) where sessions[session] == nil:
            // The session is gone, together with the tasks that were to be ended.
            _ = endings.endSweep(of: call)
            turn.add(.answer(call, .done))
        case .sweep(let call, _, _):
            refuse(.sweep(call), error)
        case .dated:
            clockPassFailed(until: later)
        case .overdue, .earliestDeadline:
            record(deadline: later)
        case .session(let session):
            guard sessions[session] != nil else { return }
            sessions.update(session) { $0.notCounted() }
            turn.add(.setTimer(.recount(session: session), later))
        case .totals:
            break
        }
    }
}
