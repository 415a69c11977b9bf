import FerryHTTP
import FerrySystem
import FerryTestSupport
import FerryWire
import Foundation
import Synchronization

@testable import Ferry

/// A daemon in the test's process that transfers nothing: it keeps tasks and events as ferryd does, and
/// tests say what becomes of them.
///
/// Its sockets stay when it "dies", as those of a daemon do that is started again by its clients.
@LoopActor
final class ScriptedDaemon {
    /// A session's part of what ferryd has in its database.
    struct Session {
        var number: Int64
        var owner: ObjectIdentifier?
        var configuration: Wire.SessionConfiguration
        var nextTaskIdentifier = 1
        var nextSequence: Int64 = 1
        var tasks: [Int: Wire.Task] = [:]
        var events: [Wire.Event] = []
        var isClosed = false
    }

    /// What a test may have the daemon do with a call in place of answering it.
    enum Behaviour {
        /// Carry it out and answer.
        case answer
        /// Carry it out, but keep the answer to itself.
        case keepSilent
        /// Do nothing but refuse it.
        case refuse(TransferInterfaceError)
        /// Die of it, as far as the client can tell: having carried it out, or not.
        case die(afterwards: Bool)
        /// Carry it out, and say so after a while, when the closure was called.
        case answerLater(Duration, @Sendable () -> Void)
    }

    nonisolated let directory: String
    /// The calls so far, as text: the method and what it is about.
    nonisolated let calls = CallLog()
    /// The connections that have closed.
    nonisolated let closings = CallLog()
    /// The number of open connections.
    var connectionCount: Int { server?.connectionCount ?? 0 }
    var sessions: [String: Session] = [:]
    var applications: [Wire.Application] = []
    /// What to do with calls of a method, the next one first.
    var behaviours: [String: [Behaviour]] = [:]
    /// With what to refuse to open sessions, the next one first.
    var refusesOpening: [TransferInterfaceError] = []
    /// How many tasks a page has.
    var pageLength = 100
    /// What is remembered of tasks that have ended; nil for one of another application.
    var endedTasks: [Wire.EndedTask]?
    /// The task after which a page cannot be read.
    var brokenPage: Int64?
    private var server: VarlinkServer?
    /// The streams of events, by name.
    var streams: [String: Reply<Wire.StreamEvents>] = [:]
    /// The names of the streams that the sessions' events go over.
    var subscribers: [String: String] = [:]
    /// The sessions whose events are held back, and what was.
    var held: [String: [Wire.Event]] = [:]
    var silenced: [AnyObject] = []
    /// What came along with uploads, by their paths.
    var uploads: [String: [UInt8]] = [:]
    var nextNumber: Int64 = 100
    var nextID: Int64 = 1
    /// What clients have answered to challenges.
    var answers: [Wire.AnswerChallenge] = []
    /// The events that were acknowledged together.
    var acknowledgements: [[Int64]] = []
    var watcher: Reply<Wire.WatchTasks>?
    /// The connection of the call that is being handled.
    var caller: VarlinkConnection?

    nonisolated init() throws {
        directory = Home.path + "/daemon-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    // MARK: - Life

    /// A daemon that serves already.
    nonisolated static func started() async throws -> ScriptedDaemon {
        let daemon = try ScriptedDaemon()
        try await daemon.start()
        return daemon
    }

    /// Serves, as from its first start or after ``die()``.
    func start() throws {
        let server = VarlinkServer(
            information: ServiceInformation(
                vendor: "Ferry",
                product: "test",
                version: "1",
                url: "https://example.org"
            ),
            handler: self
        )
        if let socket = listening {
            listening = nil
            try server.listen(on: FileDescriptor(owning: socket))
        } else {
            try server.listen(on: bind())
        }
        self.server = server
    }

    /// Ends without another word; clients can connect, and wait for ``start()``.
    func die() throws {
        server?.close()
        server = nil
        streams = [:]
        subscribers = [:]
        held = [:]
        silenced = []
        for identifier in sessions.keys { sessions[identifier]?.owner = nil }
        listening = try bind().release()
    }

    private var listening: Int32?

    /// Serves where clients look for the daemon of this process's user.
    func start(at directories: [String]) throws {
        try start()
        for path in directories {
            let directory = try Directory(opening: path, creatingPrivate: true)
            try directory.remove(SocketLocations.socketName)
            try server?.listen(on: try UnixSocket.listen(SocketLocations.socketName, in: directory))
        }
    }

    private func bind() throws -> FileDescriptor {
        let directory = try Directory(opening: directory)
        try directory.remove("socket")
        return try UnixSocket.listen("socket", in: directory)
    }

    /// How clients connect.
    nonisolated var connect: @Sendable () throws(DaemonError) -> FileDescriptor {
        let path = directory
        return { () throws(DaemonError) in
            do throws(SystemCallError) {
                return try UnixSocket.connect("socket", in: try Directory(opening: path))
            } catch {
                throw .failed(error)
            }
        }
    }

    // MARK: - Events

    func emit(_ event: Wire.Event, in identifier: String) {
        var event = event
        guard var session = sessions[identifier] else { return }
        if event.kind == .completed {
            event.sequence = session.nextSequence
            session.nextSequence += 1
            session.events.append(event)
        }
        if let task = event.task {
            if event.kind == .completed { session.tasks[task]?.state = .completed }
            if let count = event.receivedByteCount {
                session.tasks[task]?.receivedByteCount = count
            }
        }
        sessions[identifier] = session
        send(event, to: identifier)
    }

    /// Sends an event over the stream of its session.
    func send(_ event: Wire.Event?, to identifier: String) {
        if let event, held[identifier] != nil {
            held[identifier]?.append(event)
            return
        }
        guard let stream = subscribers[identifier].flatMap({ streams[$0] }),
            let number = sessions[identifier]?.number
        else { return }
        stream.stream(Wire.StreamEvents.Reply(session: number, event: event))
    }

    /// Ends the events of a session; the connection goes on.
    func endEvents(of identifier: String) {
        send(nil, to: identifier)
        subscribers[identifier] = nil
    }

    /// Finishes a download with its file; for an upload the file is the answer.
    @discardableResult
    func finish(
        _ task: Int,
        in identifier: String,
        contents: String,
        status: Int = 200
    ) throws -> URL {
        let path = directory + "/CFNetworkDownload_\(UUID().uuidString.prefix(6)).tmp"
        try Data(contents.utf8).write(to: URL(fileURLWithPath: path))
        let url = sessions[identifier]?.tasks[task]?.originalRequest.value?.url ?? ""
        let sent = sessions[identifier]?.tasks[task]?.upload?.byteCount
        let response = Wire.Response(status: status, version: "HTTP/1.1", fields: [], url: url)
        let count = Int64(contents.utf8.count)
        emit(
            Wire.Event(
                kind: .completed,
                task: task,
                response: Encoded(response),
                receivedByteCount: count,
                expectedByteCount: count,
                sentByteCount: sent,
                path: path
            ),
            in: identifier
        )
        return URL(fileURLWithPath: path)
    }
}
