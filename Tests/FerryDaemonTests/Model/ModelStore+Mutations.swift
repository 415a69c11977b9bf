import FerryStore
import FerryWire
import FoundationEssentials

extension ModelStore {
    /// Performs a change, or leaves a part of it behind when it throws.
    mutating func perform(_ mutation: Mutation, _ receipt: inout Receipt) throws(StoreError) {
        switch mutation {
        case .openSession(
            let application,
            let launch,
            let identifier,
            let configuration,
            let avoids
        ):
            let opened = openSession(application, launch, identifier, configuration)
            sessions[opened.session.id]?.avoids = avoids
            receipt.openedSessions.append(opened)
        case .setLaunch(let id, let launch):
            try change(application: id) { $0.launch = launch }
        case .setLaunchState(let id, let attempts, let next):
            try change(application: id) {
                $0.launchAttempts = attempts
                $0.nextLaunchAt = next
            }
        case .setQuit(let id, let quit):
            try change(application: id) { $0.quit = quit }
        case .deleteApplication(let id):
            for (session, owner) in sessions where owner.record.applicationID == id {
                delete(session: session)
            }
            applications[id] = nil
        case .setConfiguration(let id, let configuration):
            guard sessions[id] != nil else { throw .model(.notFound) }
            sessions[id]?.record.configuration = configuration
        case .deleteSession(let id):
            delete(session: id)
        case .endNetworkWait:
            for (id, task) in tasks where task.record.notBefore == TaskRecord.networkWait {
                tasks[id]?.record.notBefore = nil
            }
        case .distrustTimes(let now, let longestWait):
            distrustTimes(at: now, longestWait: longestWait)
        case .set(.rates(let new)):
            rates = new
        case .set(.clock(let new)):
            clock = new
        case .acknowledge(let session, let sequence, let path):
            let key = EventKey(session: session, sequence: sequence)
            guard let task = ended(key)?.id else { return }
            if let path { updateMemory(of: task) { $0.path = path } }
            tasks[task] = nil
            receipt.removedTaskIDs.append(task)
        case .insertTask, .delayTask, .retimeTask, .beginTask, .setProgress, .setCheckpoint,
            .setUpload,
            .setRetry, .postponeTask, .setExchange, .deleteTask, .resumeTask, .suspendTask,
            .holdTask,
            .releaseTask, .completeTask, .describeTask, .setOptions, .prioritizeTask,
            .avoidConditions,
            .relinkTask:
            try performOnTask(mutation, &receipt)
        }
    }

    // MARK: Applications and sessions

    private mutating func openSession(
        _ name: String,
        _ launch: Wire.Launch?,
        _ identifier: String,
        _ configuration: Encoded<Wire.SessionConfiguration>
    ) -> Receipt.OpenedSession {
        var application =
            applications.values.first { $0.identifier == name }
            ?? ApplicationRecord(id: nextApplicationID, identifier: name)
        application.launch = launch
        applications[application.id] = application
        // The number that an insertion has drawn is spent even if it was no insertion.
        nextApplicationID = nextApplicationID.next
        let known = sessions.values.first {
            $0.record.applicationID == application.id && $0.record.identifier == identifier
        }
        var session =
            known?.record
            ?? SessionRecord(
                id: nextSessionID,
                applicationID: application.id,
                identifier: identifier,
                configuration: configuration
            )
        session.configuration = configuration
        sessions[session.id] = Session(
            record: session,
            usedIdentifiers: known?.usedIdentifiers ?? []
        )
        nextSessionID = nextSessionID.next
        return Receipt.OpenedSession(
            application: application,
            session: counted(session),
            isNew: known == nil
        )
    }

    private mutating func change(
        application id: ApplicationID,
        _ body: (inout ApplicationRecord) -> Void
    ) throws(StoreError) {
        guard var application = applications[id] else { throw .model(.notFound) }
        body(&application)
        applications[id] = application
    }

    private mutating func delete(session id: SessionID) {
        for (task, owner) in tasks where owner.record.sessionID == id { tasks[task] = nil }
        sessions[id] = nil
    }
}
