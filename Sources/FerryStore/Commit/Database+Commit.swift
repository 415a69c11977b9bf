extension Database {
    /// Performs the requests of a group in one transaction.
    ///
    /// - Returns: For each request what came of it: its own failure does not touch the others,
    ///   one that ends the transaction, as most of the disk's do, is everybody's.
    func commit(_ group: [CommitRequest]) -> [Result<Receipt, StoreError>] {
        let needsSync = group.contains { $0.durability == .synchronized }
        do throws(StoreError) {
            try setDurability(needsSync ? .synchronized : .relaxed)
            try begin()
            let results =
                group.count == 1 ? [try perform(group[0])] : try performSeparately(group)
            if results.contains(where: \.isSuccess) { try commit() } else { rollBack() }
            return results
        } catch {
            rollBack()
            return group.map { _ in .failure(error) }
        }
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

extension Result {
    fileprivate var isSuccess: Bool {
        switch self {
        case .success: true
        case .failure: false
        }
    }
}
