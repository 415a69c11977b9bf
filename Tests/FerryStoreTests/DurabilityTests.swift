import Dispatch
import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryStore

/// What has been forced onto the disk when a caller hears that its changes will last.
///
/// A loss of power keeps what was synchronised, and perhaps nothing else: the order of synchronisations and
/// answers is what counts.
@Suite(.timeLimit(.minutes(1)))
struct DurabilityTests {
    @Test(
        arguments: [
            [.relaxed, .synchronized], [.synchronized, .relaxed],
            [.relaxed, .synchronized, .relaxed], [.synchronized, .synchronized],
        ] as [[Durability]],
        [false, true]
    )
    func
        `TEST-1: what outlives a loss of power is on the disk before it is answered, whoever shares its commit`(
            group: [Durability],
            isAfterWait: Bool
        ) async throws
    {
        let history = try await history(of: group, isAfterWait: isAfterWait)
        // Together, by one synchronisation, and behind it the answers.
        #expect(history == ["sync"] + group.indices.map { "answer \($0)" })
    }

    @Test(arguments: [false, true])
    func `TEST-1: nobody waits for the disk where nobody wants to`(
        isAfterWait: Bool
    ) async throws {
        let history = try await history(of: [.relaxed, .relaxed], isAfterWait: isAfterWait)
        #expect(history == ["answer 0", "answer 1"])
    }

    @Test
    func
        `TEST-1: a request that fails leaves the others of its commit as durable as they are to be`()
        async throws
    {
        let history = try await history(of: [.relaxed, .synchronized, .relaxed], failing: 2)
        #expect(history == ["sync", "answer 0", "answer 1", "answer 2"])
    }

    /// Commits requests in one group, and returns what happened to the log on the disk, and the answers, in
    /// their order; `isAfterWait` if a task's wait ends before, which is not worth a synchronisation.
    private func history(
        of group: [Durability],
        failing: Int? = nil,
        isAfterWait: Bool = false
    ) async throws -> [String] {
        SynchronizationLog.install()
        let temporary = try TemporaryDirectory()
        let store = try Store(directory: temporary.directory)
        let session = try await store.openedSession()
        if isAfterWait {
            let waiting = TaskRecord.waiting(100, session: session.id, notBefore: moment(1))
            try await store.commit([.insertTask(waiting)])
        }
        let history = Recorder<String>()
        SynchronizationLog.observe(temporary.path + "/ferry.sqlite") { history.append("sync") }
        defer { SynchronizationLog.forget(temporary.path + "/ferry.sqlite") }
        if isAfterWait { #expect(try await store.nextIDs(at: moment(1)) == [100]) }
        // Until all are in line, the queue is busy.
        let gate = DispatchSemaphore(value: 0)
        store.queue.perform { gate.wait() }
        for (index, durability) in group.enumerated() {
            let task = TaskRecord.waiting(TaskID(index + 1), session: session.id)
            let mutation =
                index == failing ? .prioritizeTask(.id(99), 1) : Mutation.insertTask(task)
            store.submit([mutation], durability: durability) { _ in
                history.append("answer \(index)")
            }
        }
        gate.signal()
        await store.settle()
        return history.elements
    }
}
