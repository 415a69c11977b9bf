import FerryStore
import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Testing

@testable import FerryDaemon

/// The model is only as good as it is like the store: both get the same random changes and the same random questions.
@Suite(.timeLimit(.minutes(1))) struct ModelConformanceTests {
    /// Sequences enough for the rare combinations; a new seed each time finds others.
    private static let sequenceCount = 12
    private static let commitCount = 120

    @Test func `TEST-17: the model does and answers what the store does, whatever has changed`()
        async throws
    {
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
            if count.isMultiple(of: 4) {
                try await compareAnswers(store, &model, &changes, "seed \(seed), commit \(count)")
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

    /// Asks both everything; a question may change what is waiting, in both.
    private func compareAnswers(
        _ store: Store,
        _ model: inout ModelStore,
        _ changes: inout RandomMutations,
        _ place: String
    ) async throws {
        for question in changes.questions() {
            let answer = try await question.answer(of: store)
            let modelled = question.answer(of: &model)
            try #require(answer == modelled, "\(place): \(question)")
        }
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
