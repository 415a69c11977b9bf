import Ferry

extension Context {
    /// Performs an action on each transfer, even after it has failed for one of them.
    ///
    /// - Parameters:
    ///   - identifiers: The transfers' numbers.
    ///   - action: The action.
    /// - Returns: The exit code; the first failure determines it.
    /// - Throws: ``TransferDaemonError`` when ferryd cannot be reached.
    func forEach(
        _ identifiers: [Int],
        _ action: (Int) async throws -> Void
    ) async throws -> ExitCode {
        var code = ExitCode.success
        for identifier in identifiers {
            do {
                try await action(identifier)
            } catch let error as TransferDaemonError where ExitCode(error) != .unreachable {
                console.errorLine("ferry: \(identifier): \(error.message)")
                if code == .success { code = ExitCode(error) }
            }
        }
        return code
    }
}
