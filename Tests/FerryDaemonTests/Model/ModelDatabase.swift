import FerryStore

@testable import FerryDaemon

/// The model of the store with what a disk makes of it: changes that were waited for are there
/// after a power cut, later ones perhaps.
struct ModelDatabase {
    /// What a process sees.
    var current = ModelStore()
    /// What was last waited for.
    private(set) var synchronized = ModelStore()
    /// What has been changed since, change by change.
    private var relaxed: [ModelStore] = []

    /// Performs commits in one transaction; each can fail alone, a disk that fails fails all.
    mutating func transact(
        _ commits: [StoreLine.Commit],
        failure: StoreError?
    ) -> [StoreLine.Outcome] {
        if let failure { return commits.map { .failed(failure, $0) } }
        let outcomes = commits.map { commit -> StoreLine.Outcome in
            switch current.commit(commit.mutations) {
            case .success(let receipt): .committed(receipt, commit)
            case .failure(let error): .failed(error, commit)
            }
        }
        if commits.contains(where: { $0.durability == .synchronized }) {
            synchronized = current
            relaxed = []
        } else {
            relaxed.append(current)
        }
        return outcomes
    }

    /// Loses some of what was not waited for; the log is written in order, so the last of it.
    mutating func cutPower(using random: inout SeededRandom) {
        let images = [synchronized] + relaxed
        current = images[random.number(below: images.count)]
        synchronized = current
        relaxed = []
    }
}
