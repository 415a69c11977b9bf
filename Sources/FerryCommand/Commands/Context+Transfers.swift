import Ferry

extension Context {
    /// The number of transfers on which an action is under way at the same time.
    ///
    /// ferryd writes each change to the disk before it answers, many of them in one go.
    private static let simultaneousCount = 64

    /// Performs an action on each transfer, even after it has failed for one of them.
    ///
    /// What comes of them is told in the order of the numbers.
    ///
    /// - Parameters:
    ///   - identifiers: The transfers' numbers.
    ///   - action: The action, which returns a line for standard output if there is something to say. All begin on one
    ///     actor, so that ferryd is called in the order of the numbers.
    /// - Returns: The exit code; the first failure determines it.
    /// - Throws: ``TransferDaemonError`` when ferryd cannot be reached.
    func forEach(
        _ identifiers: [Int],
        _ action: @escaping @MainActor @Sendable (Int) async throws -> String?
    ) async throws -> ExitCode {
        try await withThrowingTaskGroup(of: (Int, ActionResult).self) { group in
            var results = OrderedResults(of: identifiers, in: console)
            var (begunCount, endedCount) = (0, 0)
            while true {
                while begunCount < min(identifiers.count, endedCount + Self.simultaneousCount),
                    !results.isUnreachable
                {
                    let index = begunCount
                    let operation = operation(index, action, on: identifiers[index])
                    group.addTask(operation: operation)
                    begunCount += 1
                }
                guard let (index, result) = try await group.next() else {
                    return try results.finish()
                }
                endedCount += 1
                results.add(result, at: index)
            }
        }
    }

    private typealias ActionResult = Result<String?, any Error>

    private func operation(
        _ index: Int,
        _ action: @escaping @MainActor @Sendable (Int) async throws -> String?,
        on identifier: Int
    ) -> @MainActor @Sendable () async -> (Int, ActionResult) {
        {
            do {
                return (index, .success(try await action(identifier)))
            } catch let error as TransferDaemonError where error.code == .transferNotFound {
                return (index, .failure(await explained(error, about: identifier)))
            } catch {
                return (index, .failure(error))
            }
        }
    }

    /// Returns the error about a transfer that is not there, with what became of it if that is remembered.
    private func explained(
        _ error: TransferDaemonError,
        about identifier: Int
    ) async -> TransferDaemonError {
        guard let ended = await daemon.remembered([identifier])[identifier] else { return error }
        var error = error
        error.message = "it has ended: \(ended.sentence(now: now()))"
        return error
    }
}

/// What came of an action on several transfers, told in their order.
private struct OrderedResults {
    /// Whether ferryd could not be reached, so that nothing more is to be tried.
    var isUnreachable: Bool { unreachable != nil }

    /// The exit code so far; the first failure determines it.
    private var code = ExitCode.success
    private var unreachable: (any Error)?
    private let identifiers: [Int]
    private let console: Console
    /// What has not been told yet, as something before it is not known.
    private var results: [Int: Result<String?, TransferDaemonError>] = [:]
    private var position = 0

    init(of identifiers: [Int], in console: Console) {
        self.identifiers = identifiers
        self.console = console
    }

    mutating func add(_ result: Result<String?, any Error>, at index: Int) {
        do {
            results[index] = .success(try result.get())
        } catch let error as TransferDaemonError where ExitCode(error) != .unreachable {
            results[index] = .failure(error)
        } catch {
            unreachable = unreachable ?? error
        }
        while let next = results.removeValue(forKey: position) {
            notify(next, of: identifiers[position])
            position += 1
        }
    }

    /// Tells what is known behind the transfers of which nothing is known.
    ///
    /// - Returns: The exit code.
    /// - Throws: Why ferryd could not be reached.
    mutating func finish() throws -> ExitCode {
        for (index, result) in results.sorted(by: { $0.key < $1.key }) {
            notify(result, of: identifiers[index])
        }
        if let unreachable { throw unreachable }
        return code
    }

    private mutating func notify(
        _ result: Result<String?, TransferDaemonError>,
        of identifier: Int
    ) {
        do throws(TransferDaemonError) {
            if let line = try result.get() { console.line(line) }
        } catch {
            console.errorLine("ferry: \(identifier): \(error)")
            if code == .success { code = ExitCode(error) }
        }
    }
}
