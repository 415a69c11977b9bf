import Ferry

extension Context {
    /// Does something to each of some transfers, also after one of them could not be found.
    ///
    /// - Parameters:
    ///   - identifiers: The transfers' numbers.
    ///   - action: What to do.
    /// - Returns: What to tell the shell; the first failure counts.
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
