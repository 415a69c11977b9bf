import FerrySystem
import FerryTestSupport
import FerryWireTestSupport
import FoundationEssentials
import Testing

@testable import FerryStore

/// The counts that the store keeps are those that counting would find.
@Suite(.timeLimit(.minutes(1)))
struct CountTests {
    private let temporary: TemporaryDirectory
    private let store: Store
    private var sessions: [SessionID] = []

    init() async throws {
        temporary = try TemporaryDirectory()
        store = try Store(directory: temporary.directory)
        for index in 0..<3 {
            sessions.append(try await store.openedSession("session \(index)").id)
        }
    }

    @Test(arguments: UInt64(1)...8)
    func `counts agree with the rows after any history`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var refused = 0
        for step in 0..<60 {
            let mutations = (0..<Int.random(in: 1...8, using: &random)).map { _ in
                mutation(&random)
            }
            do throws(StoreError) {
                try await store.commit(mutations, durability: .relaxed)
            } catch {
                try #require(error.code == .notFound || error.code == .conflict)
                refused += 1
            }
            if step % 10 == 9 {
                let now = moment(Double(step))
                _ = try await store.nextIDs(at: now)
                try await check()
            }
        }
        // A history in which everything is refused, or nothing, tests little.
        #expect(refused > 0 && refused < 60)
    }

    private func mutation(_ random: inout SeededGenerator) -> Mutation {
        let task = TaskID(Int64.random(in: 1...12, using: &random))
        let session = sessions[Int.random(in: 0..<3, using: &random)]
        let date = Bool.random(using: &random) ? moment(.random(in: 0...60, using: &random)) : nil
        switch Int.random(in: 0..<13, using: &random) {
        case 0...4:
            var record = TaskRecord.waiting(
                task,
                session: session,
                host: "host\(task.rawValue % 3)",
                notBefore: date
            )
            record.state = TaskRecord.State.allCases[Int.random(in: 0..<3, using: &random)]
            return .insertTask(record)
        case 5, 6:
            return Bool.random(using: &random)
                ? .suspendTask(.id(task), at: moment(0))
                : .resumeTask(.id(task), at: moment(0), resourceTimeout: 9)
        case 7: return .setRetry(task: task, attempts: 1, notBefore: date, lastError: nil)
        case 8:
            return .completeTask(.id(task), NewEnd(event: []))
        case 9:
            let sequence = Int64.random(in: 1...6, using: &random)
            return .acknowledge(session: session, sequence: sequence)
        case 10: return .deleteTask(id: task)
        case 11:
            let conditions: [Conditions?] = [[], .battery, .network, nil]
            return .avoidConditions(.id(task), conditions[Int.random(in: 0..<4, using: &random)])
        default: return .prioritizeTask(.id(task), .random(in: 0...1, using: &random))
        }
    }

    private func check() async throws {
        let disagreements = try await store.read { database throws(StoreError) in
            try database.connection.rows(
                """
                SELECT 'session ' || id FROM sessions JOIN session_counters ON session_id = id WHERE
                    suspended_count <> (SELECT count(*) FROM tasks t
                        WHERE t.session_id = sessions.id AND t.state = 0)
                    OR waiting_count <> (SELECT count(*) FROM tasks t
                        WHERE t.session_id = sessions.id AND t.state = 1)
                    OR completed_count <> (SELECT count(*) FROM tasks t
                        WHERE t.session_id = sessions.id AND t.state = 2)
                UNION ALL
                SELECT * FROM (
                    SELECT host || ' ' || session_id || ' ' || avoids || ' ' || waiting_count || ' '
                        || ready_count
                    FROM host_queues
                    EXCEPT
                    SELECT host || ' ' || session_id || ' ' || avoids || ' ' || count(*) || ' '
                        || sum(not_before IS NULL)
                    FROM tasks WHERE state = 1 GROUP BY host, session_id, avoids)
                UNION ALL
                SELECT * FROM (
                    SELECT host || ' ' || session_id || ' ' || avoids FROM tasks WHERE state = 1
                    EXCEPT
                    SELECT host || ' ' || session_id || ' ' || avoids FROM host_queues)
                UNION ALL
                SELECT 'details of ' || task_id FROM task_details
                    WHERE task_id NOT IN (SELECT id FROM tasks)
                """
            ) { $0.text() }
        }
        #expect(disagreements == [])
    }
}

/// SplitMix64: the same numbers for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
