extension Database {
    /// Performs the requests of a group in one transaction.
    ///
    /// On a full disk, requests that end something get the space that is reserved for them.
    ///
    /// - Returns: The result of each request: its own failure does not affect the others, nor does a lack of room; another
    ///   failure that ends the transaction, as most failures of the disk do, applies to all.
    func commit(_ group: [CommitRequest]) -> [Result<Receipt, StoreError>] {
        var results = commitOnce(group)
        let ends = group.indices.filter { group[$0].isEnding && results[$0].isOutOfRoom }
        guard !ends.isEmpty else {
            if results.contains(where: \.isSuccess) { reserve.hold() }
            return results
        }
        guard makeRoom() else { return results }
        for (index, result) in zip(ends, commitOnce(ends.map { group[$0] })) {
            results[index] = result
        }
        return results
    }

    /// Makes room on a full disk.
    ///
    /// - Returns: Whether there may be room.
    private func makeRoom() -> Bool {
        let hadReserve = reserve.giveUp()
        // The log has its own room: once the database has its content, the log is written from its beginning
        // again. Otherwise each end would add to it, and few would find room.
        return restartLog() || hadReserve
    }

    private func commitOnce(_ group: [CommitRequest]) -> [Result<Receipt, StoreError>] {
        let needsSync = group.contains { $0.durability == .synchronized }
        do throws(StoreError) {
            try setDurability(needsSync ? .synchronized : .relaxed)
            try begin()
            var results = try performTogether(group)
            if group.count > 1, results.last?.isSuccess == false {
                rollBack()
                try begin()
                results = try performSeparately(group)
            }
            if results.contains(where: \.isSuccess) { try commit() } else { rollBack() }
            return results
        } catch {
            rollBack()
            guard error.code == .diskFull, group.count > 1 else {
                return group.map { _ in .failure(error) }
            }
            // Where one finds no room, others may need none.
            return group.flatMap { commitOnce([$0]) }
        }
    }

    /// Performs requests up to the first that fails, if any; the changes of a failed request must be undone.
    ///
    /// Failures are rare, so the requests do without the savepoint that each would need.
    private func performTogether(
        _ group: [CommitRequest]
    ) throws(StoreError) -> [Result<Receipt, StoreError>] {
        var results: [Result<Receipt, StoreError>] = []
        results.reserveCapacity(group.count)
        for request in group {
            let result = try perform(request)
            results.append(result)
            if !result.isSuccess { break }
        }
        return results
    }

    private static let savepoint = Statement("SAVEPOINT request")
    private static let rollBackToSavepoint = Statement("ROLLBACK TO request")
    private static let releaseSavepoint = Statement("RELEASE request")

    /// Performs requests so that each can fail on its own.
    private func performSeparately(
        _ group: [CommitRequest]
    ) throws(StoreError) -> [Result<Receipt, StoreError>] {
        var results: [Result<Receipt, StoreError>] = []
        for request in group {
            let before = counters
            try connection.run(Self.savepoint)
            let result = try perform(request)
            if !result.isSuccess {
                counters = before
                try connection.run(Self.rollBackToSavepoint)
            }
            try connection.run(Self.releaseSavepoint)
            results.append(result)
        }
        return results
    }

    /// Performs a request's mutations.
    ///
    /// - Returns: The receipt, or the failure that concerns only this request.
    /// - Throws: A failure that concerns all requests.
    private func perform(
        _ request: CommitRequest
    ) throws(StoreError) -> Result<Receipt, StoreError> {
        var receipt = Receipt()
        do throws(StoreError) {
            for mutation in request.mutations { try perform(mutation, &receipt) }
            return .success(receipt)
        } catch {
            // SQLite ends the whole transaction itself after some failures:
            // https://sqlite.org/lang_transaction.html, 3.
            guard connection.isInTransaction else { throw error }
            return .failure(error)
        }
    }
}

extension Result<Receipt, StoreError> {
    fileprivate var isSuccess: Bool {
        switch self {
        case .success: true
        case .failure: false
        }
    }

    fileprivate var isOutOfRoom: Bool {
        switch self {
        case .success: false
        case .failure(let error): error.code == .diskFull
        }
    }
}
