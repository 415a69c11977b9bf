import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

@testable import FerryDaemon

/// A client as the bench has it.
struct BenchClient {
    var connection: ConnectionID
    var process: Int64
    /// The number of its open session, as it is passed with calls.
    var session: Int64 = 0

    var sessionID: SessionID { SessionID(session) }
}

extension MachineBench {
    // MARK: Sessions

    /// A process connects.
    mutating func connect(process: Int64 = 1) -> BenchClient {
        let client = BenchClient(connection: ConnectionID(makeNumber()), process: process)
        input { machine in machine.connected(client.connection) }
        return client
    }

    /// A process connects, unless it has, and has a session opened.
    @discardableResult
    mutating func open(
        _ session: String = "session",
        application: String = "app",
        process: Int64 = 1,
        launch: Wire.Launch? = .sample,
        configuration: Wire.SessionConfiguration = .sample,
        over connected: BenchClient? = nil
    ) -> BenchClient {
        var client = connected ?? connect(process: process)
        client.session = 0
        let open = Wire.OpenSession.sample(session, application, launch, configuration)
        let call = call(client) { $0.openSession(open, from: $1) }
        settle()
        if case .answer(.opened(let session, _, _)) = outcomes[call] {
            client.session = session.rawValue
        }
        return client
    }

    /// A client makes a call; nothing of the store's work is done.
    mutating func call(
        _ client: BenchClient,
        _ body: (inout Machine, Machine.Caller) -> Void
    ) -> CallID {
        let caller = Machine.Caller(
            call: CallID(makeNumber()),
            connection: client.connection,
            process: client.process
        )
        input { machine in body(&machine, caller) }
        return caller.call
    }

    /// A client makes a call, and the store does its work.
    @discardableResult
    mutating func settledCall(
        _ client: BenchClient,
        _ body: (inout Machine, Machine.Caller) -> Void
    ) -> Outcome? {
        let call = call(client, body)
        settle()
        return outcomes[call]
    }

    /// A client's connection closes.
    mutating func disconnect(_ client: BenchClient) {
        input { $0.disconnected(client.connection) }
        settle()
    }

    /// A client subscribes to its session's events.
    mutating func subscribe(_ client: BenchClient) -> CallID {
        let call = call(client) { $0.subscribe(session: client.sessionID, from: $1) }
        settle()
        return call
    }

    // MARK: Tasks

    /// A client makes a task, which does not run yet; its number comes back.
    @discardableResult
    mutating func create(
        _ client: BenchClient,
        _ identifier: Int = 1,
        host: String = "a",
        priority: Double = 0.5
    ) -> TaskID {
        let create = Wire.CreateDownload.sample(client.session, identifier, host, priority)
        let outcome = settledCall(client) { $0.createDownload(create, from: $1) }
        guard case .answer(.created(let task)) = outcome else { return 0 }
        return task
    }

    /// A client makes a task and lets it run.
    @discardableResult
    mutating func start(
        _ client: BenchClient,
        _ identifier: Int = 1,
        host: String = "a",
        priority: Double = 0.5
    ) -> TaskID {
        let task = create(client, identifier, host: host, priority: priority)
        resume(client, identifier)
        return task
    }

    /// A client makes an upload of 500 bytes, and lets it run.
    mutating func startUpload(_ client: BenchClient, _ identifier: Int) {
        let create = Wire.CreateUpload(
            session: client.session,
            identifier: identifier,
            request: .sample("http://a/\(identifier)"),
            path: "/home/jo/file",
            priority: 0.5
        )
        let file = FileIdentity(device: 1, inode: 2, size: 500, modified: 3, changed: 4)
        _ = call(client) { $0.createUpload(create, of: file, from: $1) }
        settle()
        guard let (task, upload, call) = securings.last else { return }
        input { $0.secured(task: task, upload, for: call) }
        settle()
        resume(client, identifier)
    }

    @discardableResult
    mutating func resume(_ client: BenchClient, _ identifier: Int = 1) -> Outcome? {
        let resume = Wire.Resume(session: client.session, identifier: identifier)
        return settledCall(client) { $0.resume(resume, from: $1) }
    }

    @discardableResult
    mutating func suspend(_ client: BenchClient, _ identifier: Int = 1) -> Outcome? {
        let suspend = Wire.Suspend(session: client.session, identifier: identifier)
        return settledCall(client) { $0.suspend(suspend, from: $1) }
    }

    @discardableResult
    mutating func cancel(_ client: BenchClient, _ identifier: Int = 1) -> Outcome? {
        let cancel = Wire.Cancel(session: client.session, identifier: identifier)
        return settledCall(client) { $0.cancel(cancel, from: $1) }
    }

    @discardableResult
    mutating func acknowledge(_ client: BenchClient, _ sequence: Int64) -> Outcome? {
        let acknowledge = Wire.Acknowledge(session: client.session, sequence: sequence)
        return settledCall(client) { $0.acknowledge(acknowledge, from: $1) }
    }

    /// A transfer has loaded everything.
    mutating func finish(_ task: TaskID, byteCount: Int64 = 10) {
        input { $0.finished(task: task, byteCount: byteCount, path: "/\(task)") }
        settle()
    }

    /// A transfer has failed.
    mutating func fail(
        _ task: TaskID,
        _ code: TransferError.Code = .connectionLost,
        retryAfter: Double? = nil,
        holdsBytes: Bool = false
    ) {
        let error = TransferError.sample(code, retryAfter: retryAfter, holdsBytes: holdsBytes)
        input { $0.failed(task: task, error) }
        settle()
    }

    /// Bytes have arrived.
    @discardableResult
    mutating func progress(_ task: TaskID, _ received: Int64, of expected: Int64? = 100) -> [Effect]
    {
        input { $0.progressed(task: task, received: received, expected: expected) }
    }

    /// A task as the store has it.
    func stored(_ task: TaskID) -> TaskRecord? { database.current.tasks[task]?.record }

    /// The tasks that have a transfer, by number.
    var loading: [TaskID] { transfers.keys.sorted() }
}

extension MachineBench {
    /// A client closes its session.
    @discardableResult
    mutating func close(_ client: BenchClient, cancel: Bool = false) -> Outcome? {
        let close = Wire.CloseSession(session: client.session, cancel: cancel)
        return settledCall(client) { $0.closeSession(close, from: $1) }
    }

    /// A person makes a call.
    @discardableResult
    mutating func person(_ body: (inout Machine, Machine.Caller) -> Void) -> Outcome? {
        let client = connect(process: 99)
        let outcome = settledCall(client, body)
        disconnect(client)
        return outcome
    }
}

extension ModelDatabase {
    /// Makes changes that fit.
    mutating func commit(_ mutations: [Mutation]) {
        _ = transact(
            [
                StoreLine.Commit(
                    mutations: mutations,
                    durability: .synchronized,
                    continuation: .nothing
                )
            ],
            failure: nil
        )
    }
}

extension Mutation {
    /// Opens a session of the sample application.
    static func sampleSession(
        _ identifier: String = "session",
        of application: String = "app",
        configuration: Wire.SessionConfiguration = .sample
    ) -> Mutation {
        .openSession(
            application: application,
            launch: Wire.Launch.sample,
            identifier: identifier,
            configuration: Encoded(configuration)
        )
    }

    /// Adds a task of the first session.
    static func sampleTask(
        _ id: TaskID,
        session: SessionID = 1,
        state: TaskRecord.State = .suspended,
        host: String = "a"
    ) -> Mutation {
        .insertTask(
            TaskRecord(
                id: id,
                sessionID: session,
                identifier: Int(id.rawValue),
                state: state,
                host: "\(host):80",
                request: Encoded(Wire.Request.sample("http://\(host)/\(id)")),
                createdAt: moment(0)
            )
        )
    }
}
