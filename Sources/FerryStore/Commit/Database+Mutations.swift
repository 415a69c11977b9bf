import FerryWire
import FoundationEssentials

extension Database {
    /// Performs a mutation inside the open transaction.
    func perform(_ mutation: Mutation, _ receipt: inout Receipt) throws(StoreError) {
        switch mutation {
        case .openSession(
            let application,
            let launch,
            let identifier,
            let configuration,
            let avoids
        ):
            let opened = try openSession(
                application,
                launch,
                identifier,
                configuration,
                avoids: avoids
            )
            receipt.openedSessions.append(opened)
        case .setLaunch(let application, let launch):
            try setLaunch(launch, of: application)
        case .setLaunchState(let application, let attempts, let nextLaunchAt):
            try setLaunchState(attempts, nextLaunchAt, of: application)
        case .setQuit(let application, let quit):
            try setQuit(quit, of: application)
        case .deleteApplication(let id):
            try deleteApplication(id)
        case .setConfiguration(let session, let configuration):
            try setConfiguration(configuration, of: session)
        case .deleteSession(let id):
            try deleteSession(id)
        case .set(let setting):
            try set(setting)
        case .insertTask(let task):
            receipt.taskIDs.append(try insert(task))
        case .setProgress(let task, let received, let expected):
            try setProgress(received, expected, of: task)
        case .setCheckpoint(let task, let checkpoint):
            try setCheckpoint(checkpoint, of: task)
        case .setUpload(let task, let upload):
            try setUpload(upload, of: task)
        case .setRetry(let task, let attempts, let notBefore, let lastError):
            try setRetry(attempts, notBefore, lastError, of: task)
        case .postponeTask(let id, let attempts, let date, let lastError):
            try postpone(id, attempts, until: date, lastError)
        case .endNetworkWait:
            try endNetworkWait()
        case .setExchange(let task, let currentRequest, let response):
            try setExchange(currentRequest, response, of: task)
        case .resumeTask(let key, let now, let timeout):
            receipt.add(try resume(key, at: now, resourceTimeout: timeout))
        case .suspendTask(let key, let now):
            receipt.add(try suspend(key, at: now))
        case .holdTask(let id, let now):
            receipt.add(try hold(id, at: now))
        case .releaseTask(let id, let now):
            receipt.add(try release(id, at: now))
        case .completeTask(let key, let end):
            guard let (change, sequence) = try complete(key, end) else { return }
            receipt.add(change)
            receipt.sequences.append(sequence)
        case .describeTask(let key, let description):
            try setDescription(description, of: try taskID(key))
        case .setOptions(let key, let options):
            try setOptions(options, of: try taskID(key))
        case .avoidConditions(let key, let conditions):
            try setAvoided(conditions, of: key)
        case .prioritizeTask(let key, let priority):
            try setPriority(priority, of: try taskID(key))
        case .delayTask(let key, let notBefore, let delay, let now):
            receipt.add(try self.delay(key, until: notBefore, delay, ifNew: true, at: now))
        case .retimeTask(let id, let from, let to, let now):
            receipt.add(try retime(id, from: from, to: to, at: now))
        case .distrustTimes(let now, let longestWait):
            try distrustTimes(at: now, longestWait: longestWait)
        case .beginTask(let key, let delay, let now):
            receipt.add(try self.delay(key, until: nil, delay, ifNew: false, at: now))
        case .relinkTask(let key, let host, let link):
            receipt.add(try relink(key, to: host, link))
        case .deleteTask(let id):
            try discard(id)
        case .acknowledge(let session, let sequence, let path):
            if let removed = try acknowledge(session, sequence, path: path) {
                receipt.removedTaskIDs.append(removed)
            }
        }
    }
}

extension Receipt {
    fileprivate mutating func add(_ change: TaskChange?) {
        if let change { changes.append(change) }
    }
}

extension Database {
    private static let readSetting = Statement("SELECT value FROM settings WHERE name = ?")
    private static let writeSetting = Statement(
        """
        INSERT INTO settings (name, value) VALUES (?, ?)
        ON CONFLICT DO UPDATE SET value = excluded.value
        """
    )

    /// Returns the rates of all tasks together; `nil` if they were never set.
    func rates() throws(StoreError) -> Encoded<SharedRates>? { try setting("rates") }

    /// Returns the time according to ferryd; `nil` if it was never set.
    func clock() throws(StoreError) -> Encoded<ClockAnchor>? { try setting("clock") }

    private func setting<Value>(_ name: String) throws(StoreError) -> Encoded<Value>? {
        try connection.first(Self.readSetting, name) { $0.encoded() }
    }

    /// Replaces the value of a setting.
    func set(_ setting: Setting) throws(StoreError) {
        switch setting {
        case .rates(let rates): try connection.run(Self.writeSetting, "rates", rates)
        case .clock(let anchor): try connection.run(Self.writeSetting, "clock", anchor)
        }
    }
}
