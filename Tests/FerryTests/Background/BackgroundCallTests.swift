import FerrySystem
import FerryTestSupport
import FerryWire
import Foundation
import Testing

@testable import Ferry

/// That all which an app has said of a task reaches the daemon, and comes back.
@Suite("Calls of background sessions", .timeLimit(.minutes(1)))
struct BackgroundCallTests {
    private let daemon: ScriptedDaemon
    private let date = Date(timeIntervalSince1970: 2_000_000_000)
    private let options = Wire.TransferOptions(maximumConnections: 3, receiveRate: 1000)

    init() async throws {
        daemon = try await ScriptedDaemon.started()
    }

    private func task() -> BackgroundCall.NewTask {
        BackgroundCall.NewTask(
            identifier: 1,
            request: Wire.Request(
                url: "https://example.com/song",
                method: "PUT",
                fields: [],
                idleTimeout: 60
            ),
            description: "a song",
            priority: 0.75,
            earliestBegin: Wire.EarliestBegin(date: date, asks: false),
            options: options,
            isResumed: true
        )
    }

    private func make(_ task: BackgroundCall.NewTask) async throws -> Wire.Task {
        let client = VarlinkClient(try daemon.connect())
        let opened = try await client.call(
            Wire.OpenSession(
                application: Wire.Application(identifier: "/bin/app"),
                identifier: "tracks",
                configuration: .any
            )
        )
        let error = await withCheckedContinuation { continuation in
            BackgroundCall.create(task).send(over: client, session: opened.session) {
                continuation.resume(returning: $0)
            }
        }
        #expect(error == nil)
        return try #require(await daemon.sessions["tracks"]?.tasks[1])
    }

    private func check(_ made: Wire.Task) {
        #expect(made.description == "a song")
        #expect(made.priority == 0.75)
        #expect(made.earliestBegin == date)
        #expect(made.options == options)
        #expect(made.state == .running)
    }

    @Test func `of what is said before a task is resumed the last word counts`() {
        var made = task()
        made.isResumed = false
        var call = BackgroundCall.create(made)
        let words: [BackgroundCall] = [
            .setDescription(task: 1, nil), .setPriority(task: 1, 0.25),
            .setEarliestBegin(task: 1, nil), .setOptions(task: 1, nil),
        ]
        for word in words {
            let isAbsorbed = call.absorb(word)
            #expect(isAbsorbed)
        }
        made.description = nil
        made.priority = 0.25
        made.earliestBegin = nil
        made.options = nil
        #expect(call == .create(made))
    }

    @Test func `what was said of a download goes with the call that makes it`() async throws {
        check(try await make(task()))
    }

    @Test func `what was said of an upload goes with the call that makes it`() async throws {
        let temporary = try TemporaryDirectory()
        try temporary.write([1, 2, 3], to: "song")
        var task = task()
        task.upload = BackgroundCall.Upload(
            file: try OutgoingFile(URL(filePath: temporary.directory.path(of: "song"))),
            path: temporary.directory.path(of: "song")
        )
        let made = try await make(task)
        check(made)
        #expect(made.upload?.byteCount == 3)
    }

    @Test func `a later launch finds all that was said of a task`() async throws {
        _ = try await make(task())
        let found = try #require(await BackgroundApp(daemon).session().allTasks.first)
        #expect(found.taskDescription == "a song")
        #expect(found.priority == 0.75)
        #expect(found.earliestBeginDate == date)
        #expect(found.transferOptions == TransferOptions(options))
    }

    // MARK: Refusals

    @Test(arguments: [
        (TransferInterfaceError.resourceUnavailable(reason: "no descriptor"), "again", "again"),
        (.sessionNotOpen(session: 1), "again", "again"),
        (.storeUnavailable(reason: "full"), "refused", "again"),
        (.internalFailure(reason: "bug"), "refused", "some times"),
        (.taskNotFound(id: 1), "done", "done"),
        (.sessionInUse(identifier: "a", pid: 1), "refused", "refused"),
        (.applicationNotFound(application: "a"), "refused", "refused"),
        (.invalidRequest(parameter: "a", reason: "b"), "refused", "refused"),
        (.timetableUnavailable(reason: "a"), "refused", "refused"),
        (.limitExceeded(limit: "a", maximum: 1), "refused", "refused"),
        (.permissionDenied, "refused", "refused"),
    ])
    func `REL-14: what can pass is tried again, and what cannot is refused`(
        _ refusal: TransferInterfaceError,
        _ creation: String,
        _ change: String
    ) {
        func consequence(of call: BackgroundCall) -> String {
            switch call.consequence(of: .refused(refusal)) {
            case .done: "done"
            case .refused: "refused"
            case .reconnect(let isEndless): isEndless ? "again" : "some times"
            case .none: "none"
            }
        }
        #expect(consequence(of: .create(task())) == creation)
        #expect(consequence(of: .suspend(task: 1)) == change)
    }
}
