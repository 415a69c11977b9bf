extension Database {
    /// Performs the requests of a group in one transaction.
    ///
    /// On a full disk those that end something get the room that is kept back for them.
    ///
    /// - Returns: For each request what came of it: its own failure does not touch the others,
    ///   one that ends the transaction, as most of the disk's do, is everybody's.
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

    /// Lets a full disk take something more.
    ///
    /// - Returns: Whether it may.
    private func makeRoom() -> Bool {
        let hadReserve = reserve.giveUp()
        // The log has room of its own: once the database has what is in it, it is written from its beginning again.
        // Else each end would add to it, and few would find room.
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
            return group.map { _ in .failure(error) }
        }
    }

    /// Performs requests up to the first that fails, if any; what it did of that is to be undone.
    ///
    /// Hardly one does, and so all do without the savepoint that each would cost.
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

    /// Performs requests so that each can fail alone.
    private func performSeparately(
        _ group: [CommitRequest]
    ) throws(StoreError) -> [Result<Receipt, StoreError>] {
        var results: [Result<Receipt, StoreError>] = []
        for request in group {
            try connection.run("SAVEPOINT request")
            let result = try perform(request)
            if !result.isSuccess { try connection.run("ROLLBACK TO request") }
            try connection.run("RELEASE request")
            results.append(result)
        }
        return results
    }

    /// Performs a request's mutations.
    ///
    /// - Returns: The receipt, or the failure that concerns this request alone.
    /// - Throws: A failure that concerns everybody.
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
