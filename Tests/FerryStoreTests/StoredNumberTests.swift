import FerrySystem
import FerryTestSupport
import FerryWireTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import FerryStore

/// A file may hold any numbers: a damaged disk, another program or a person has written them.
@Suite(.timeLimit(.minutes(1)))
struct StoredNumberTests {
    private let temporary: TemporaryDirectory

    init() throws { temporary = try TemporaryDirectory() }

    /// A closed store with tasks in the states that have numbers of their own.
    private static func fill(_ directory: Directory) async throws {
        let store = try Store(directory: directory)
        let session = try await store.openedSession()
        let tasks = (1...4).map { TaskRecord.waiting($0, session: session.id) }
        try await store.commit(tasks.map { .insertTask($0) })
        try await store.commit([
            .resumeTask(.id(1), at: moment(0), resourceTimeout: 100),
            .setProgress(task: 1, receivedByteCount: 7, expectedByteCount: 9),
            .setRetry(task: 2, attempts: 2, notBefore: moment(50), lastError: [1]),
            .suspendTask(.id(3), at: moment(1)),
            .completeTask(.id(4), NewEnd(event: [1])),
            .setLaunchState(application: 1, attempts: 3, nextLaunchAt: moment(9)),
        ])
        await store.close()
    }

    private func change(_ script: String) throws {
        try Connection(path: temporary.path + "/ferry.sqlite").execute(script)
    }

    @Test(arguments: [-1, Int(Int32.min), 0, 1, Int(Schema.firstVersion) - 1])
    func `REL-10: a schema that there never was is refused, not fatal`(version: Int) async throws {
        try await Self.fill(temporary.directory)
        try change("PRAGMA user_version = \(version)")
        let error = try refusal(of: temporary.directory)
        #expect(error.code == .corrupt)
        #expect(error.message.contains("there is no schema \(version)"))
    }

    // The column for the last task takes only integers.
    @Test(
        arguments: ["tasks", "sessions", "applications"].flatMap { table in
            ["\(Int64.max)", "-1", "\(Int64.min)"].map { (table, $0) }
        } + [("sessions", "1e300"), ("applications", "1e300")]
    )
    func `REL-10: numbers that are used up, or never were, are refused, not fatal`(
        table: String,
        last: String
    ) async throws {
        try await Self.fill(temporary.directory)
        try change(
            table == "tasks"
                ? "UPDATE last_task SET id = \(last)"
                : "UPDATE sqlite_sequence SET seq = \(last) WHERE name = '\(table)'"
        )
        let error = try refusal(of: temporary.directory)
        #expect(error.code == .corrupt)
        #expect(error.message.contains("the last of \(table) has the number"))
    }

    @Test func `REL-10: a counter that has fallen behind gives no number out twice`() async throws {
        try await Self.fill(temporary.directory)
        try change("UPDATE last_task SET id = 0")
        #expect(try Store(directory: temporary.directory).nextTaskID == 5)
    }

    @Test func `REL-10: whatever numbers a store holds, it is read and changed without a trap`()
        async
    {
        let path = temporary.path
        // A trap ends this process alone; the last line that it writes names the number.
        let result = await #expect(
            processExitsWith: .success,
            observing: [\.standardErrorContent]
        ) { [path = path as String] in
            let directory = try Directory(opening: path)
            let filled = try directory.openSubdirectory("filled")
            try await Self.fill(filled)
            let content = try filled.open("ferry.sqlite", .read).readToEnd(limit: 1 << 24)
            for (index, change) in Self.changes.enumerated() {
                let line = Array((change + "\n").utf8)
                _ = write(STDERR_FILENO, line, line.count)
                let changed = try directory.openSubdirectory("\(index)")
                let file = try changed.open("ferry.sqlite", .createNew)
                try content.withUnsafeBytes { try file.writeAll($0) }
                try Connection(path: changed.path(of: "ferry.sqlite")).execute(change)
                await Self.use(try Store(directory: changed))
            }
        }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(result != nil, "\(output.split(separator: "\n").suffix(3))")
    }

    /// Every number that something is calculated with, at its ends.
    private static let changes: [String] = {
        let integers = [
            "applications.launch_attempts", "session_counters.next_task_identifier",
            "session_counters.next_sequence", "session_counters.suspended_count",
            "session_counters.waiting_count", "session_counters.completed_count",
            "tasks.received_byte_count", "tasks.expected_byte_count", "tasks.attempts",
            "host_queues.waiting_count", "host_queues.ready_count", "tasks.avoids",
            "sessions.avoids",
        ]
        let numbers = [
            "applications.next_launch_at", "tasks.priority", "tasks.not_before", "tasks.created_at",
            "tasks.started_at", "tasks.deadline", "tasks.time_left",
        ]
        func changes(_ columns: [String], _ values: [String]) -> [String] {
            columns.flatMap { column in
                let parts = column.split(separator: ".")
                return values.map { "UPDATE \(parts[0]) SET \(parts[1]) = \($0)" }
            }
        }
        return changes(integers, ["\(Int64.min)", "-1", "\(Int64.max)"])
            + changes(numbers, ["-9e999", "-1e300", "1e300", "9e999"])
            + [
                "INSERT INTO unused_identifiers VALUES (1, 6, \(Int64.max)); "
                    + "UPDATE session_counters SET next_task_identifier = 20",
                "UPDATE tasks SET identifier = \(Int64.min) WHERE id = 4",
                "UPDATE tasks SET end_sequence = \(Int64.max) WHERE id = 4",
            ]
    }()

    /// Reads everything, and makes every change in whose course something is calculated.
    private static func use(_ store: Store) async {
        let session = try? await store.session(id: 1)
        _ = session.map { $0.counts.unfinishedTasks + $0.counts.completedTasks }
        _ = try? await store.applications().map { $0.launchAttempts + 1 }
        _ = try? await store.totals().unfinishedTasks
        let tasks = (try? await store.tasks(limit: 10)) ?? []
        _ = tasks.reduce(0) { $0 + $1.receivedByteCount + ($1.expectedByteCount ?? 0) }
        _ = tasks.map { $0.attempts + 1 }
        for date in tasks.flatMap({ [$0.notBefore, $0.createdAt, $0.startedAt, $0.deadline] }) {
            _ = date.map { Duration.seconds($0.timeIntervalSince(moment(0))) }
        }
        let deadline = try? await store.earliestDeadline()
        _ = deadline.map { Duration.seconds($0.timeIntervalSince(moment(0))) }
        _ = try? await store.candidates(
            CandidateSearch(now: moment(60), limit: 9, limitPerHost: 9, conditions: .battery)
        )
        _ = try? await store.events(session: 1, limit: 9)
        for id in TaskID(1)...4 {
            let changes: [Mutation] = [
                .suspendTask(.id(id), at: moment(3)), .holdTask(id, at: moment(4)),
                .releaseTask(id, at: moment(5)),
                .resumeTask(.id(id), at: moment(6), resourceTimeout: 100),
                .delayTask(.id(id), notBefore: moment(9), nil, at: moment(7)),
                .relinkTask(.id(id), host: "new:80", [1]),
                .postponeTask(id, attempts: 1, until: moment(9), lastError: nil),
            ]
            for change in changes { _ = try? await store.commit([change]) }
            _ = try? await store.commit([
                .completeTask(.id(id), NewEnd(event: [1]))
            ])
        }
        var late = TaskRecord.waiting(10, session: 1)
        for identifier in [7, 30, Int.max, Int.min] {
            late.identifier = identifier
            late.id = late.id.next
            _ = try? await store.commit([.insertTask(late)])
        }
        await store.close()
    }
}
