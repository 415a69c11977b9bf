import FerryStore
import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Testing

@testable import FerryDaemon

/// The model is only as good as it is like the store.
@Suite(.timeLimit(.minutes(1))) struct ModelConformanceTests {
    /// Sequences enough for the rare combinations; a new seed each time finds others.
    private static let sequenceCount = 12
    private static let commitCount = 120

    @Test func `the model does with any changes what the store does`() async throws {
        let base = UInt64.random(in: 0 ... .max / 2)
        for offset in 0..<Self.sequenceCount {
            try await compare(seed: base + UInt64(offset))
        }
    }

    private func compare(seed: UInt64) async throws {
        let directory = try TemporaryDirectory()
        var store = try Store(directory: directory.directory)
        var model = ModelStore()
        var changes = RandomMutations(seed: seed)
        for count in 1...Self.commitCount {
            let mutations = changes.next(for: model)
            let real = await Outcome(committing: mutations, to: store)
            let modelled = Outcome(model.commit(mutations))
            try #require(real == modelled, "seed \(seed), commit \(count): \(mutations)")
            if count.isMultiple(of: 8) {
                try await compareQueries(store, &model, &changes, "seed \(seed), commit \(count)")
            }
            if count.isMultiple(of: 50) {
                await store.close()
                store = try reopened(in: directory)
                try #require(store.nextTaskID == model.nextTaskID, "seed \(seed)")
            }
        }
        await store.close()
    }

    /// Opens the store once more.
    ///
    /// A child process that another test has just made holds the lock until it is another program.
    private func reopened(in directory: TemporaryDirectory) throws -> Store {
        let place = directory.directory
        while true {
            do throws(StoreError) {
                return try Store(directory: place)
            } catch {
                guard error.code == .inUse else { throw error }
            }
            try FileLock("ferry.sqlite.lock", in: place, waiting: true).release()
        }
    }

    private func compareQueries(
        _ store: Store,
        _ model: inout ModelStore,
        _ changes: inout RandomMutations,
        _ place: String
    ) async throws {
        try await compareTables(store, model, place)
        let now = changes.now
        let (session, task) = (changes.session(), changes.task())
        try #require(try await store.session(id: session) == model.session(id: session), "\(place)")
        try #require(
            try await store.events(session: session, limit: 3)
                == model.events(session: session, after: 0, limit: 3),
            "\(place)"
        )
        try #require(try await store.task(id: task) == model.tasks[task]?.record, "\(place)")
        // Tasks of equal deadlines come in no particular order.
        try #require(
            Set(try await store.overdueTasks(at: now, limit: 99))
                == Set(model.overdueTasks(at: now, limit: 99)),
            "\(place)"
        )
        try #require(
            try await store.datedTasks(after: 2, limit: 3) == model.datedTasks(after: 2, limit: 3),
            "\(place)"
        )
        try #require(try await store.earliestDeadline() == model.earliestDeadline(), "\(place)")
        let query = DaemonStateMachine.Query.candidates(request(at: now, &changes))
        let answer = await store.answer(query)
        try #require(answer == model.answer(query), "\(place)")
    }

    private func compareTables(
        _ store: Store,
        _ model: ModelStore,
        _ place: String
    ) async throws {
        let applications = try await store.applications()
        try #require(applications == model.allApplications(), "\(place)")
        for application in applications {
            let sessions = try await store.sessions(application: application.id)
            try #require(sessions == model.sessions(application: application.id), "\(place)")
            let filter = TaskFilter(scope: .application(application.id), states: [.waiting, .held])
            let page = try await store.tasks(filter, after: 2, limit: 4)
            try #require(page == model.tasks(filter, after: 2, limit: 4), "\(place)")
        }
        let all = try await store.tasks(limit: 999)
        try #require(all == model.tasks(TaskFilter(), limit: 999), "\(place)")
        try #require(try await store.totals() == model.totals(), "\(place)")
    }

    private func request(
        at now: Date,
        _ changes: inout RandomMutations
    ) -> CandidateSearch {
        var turns: [Int64: CandidateSearch.Turn] = [:]
        for _ in 0..<changes.random.number(below: 4) {
            turns[changes.application()] = CandidateSearch.Turn(
                places: changes.random.number(below: 3),
                lastServed: UInt64(changes.random.number(below: 3)),
                lastHost: changes.random.happens(percent: 50) ? nil : changes.host()
            )
        }
        return CandidateSearch(
            now: now,
            limit: 1 + changes.random.number(below: 5),
            limitPerHost: 1 + changes.random.number(below: 3),
            saturatedHosts: changes.random.happens(percent: 30) ? [changes.host()] : [],
            saturatedSessions: [changes.host(): [changes.session()]],
            runningTasks: [changes.task(), changes.task()],
            turns: turns,
            conditions: changes.conditions()
        )
    }
}

/// What came of a commit; the model has messages of its own.
private enum Outcome: Hashable {
    case committed(Receipt)
    case failed(StoreError.Code)

    init(_ result: Result<Receipt, StoreError>) {
        switch result {
        case .success(let receipt): self = .committed(receipt)
        case .failure(let error): self = .failed(error.code)
        }
    }

    init(committing mutations: [Mutation], to store: Store) async {
        do throws(StoreError) {
            self = .committed(try await store.commit(mutations, durability: .relaxed))
        } catch {
            self = .failed(error.code)
        }
    }
}
