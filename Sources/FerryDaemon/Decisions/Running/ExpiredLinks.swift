import FerryTransfer

/// The tasks whose servers have said that their address has expired.
struct ExpiredLinks: Hashable, Sendable {
    private var patience: [Int64: LinkPatience] = [:]

    /// A task's address has expired.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - receivedByteCount: The number of bytes that it has by now.
    /// - Returns: Whether to ask its application for another address.
    mutating func expired(_ task: Int64, receivedByteCount: Int64) -> Bool {
        patience[task, default: LinkPatience()].expired(receivedByteCount: receivedByteCount)
    }

    /// Whether an application is no longer asked about a task.
    func isExhausted(_ task: Int64) -> Bool { patience[task]?.isExhausted == true }

    /// An application has given a task another address, as it was asked to.
    mutating func replaced(_ task: Int64) { patience[task]?.replaced() }

    /// An application has no other address for a task.
    mutating func decline(_ task: Int64) { patience[task, default: LinkPatience()].decline() }

    /// Forgets a task that has ended, or whose application has given it another address without being asked.
    mutating func forget(_ task: Int64) { patience[task] = nil }
}
