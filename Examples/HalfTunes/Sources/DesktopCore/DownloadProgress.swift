package import Ferry

/// How far a download has come.
package struct DownloadProgress: Codable, Hashable, Sendable {
    package var receivedByteCount: Int64
    /// nil when the server does not tell the length.
    package var totalByteCount: Int64?

    package init(receivedByteCount: Int64, expectedByteCount: Int64) {
        self.receivedByteCount = receivedByteCount
        totalByteCount = expectedByteCount > 0 ? expectedByteCount : nil
    }

    /// What a task of an earlier launch has received; nil when that is nothing.
    package init?(_ task: URLSessionTask) {
        guard task.countOfBytesReceived > 0 else { return nil }
        self.init(
            receivedByteCount: task.countOfBytesReceived,
            expectedByteCount: task.countOfBytesExpectedToReceive
        )
    }

    /// From 0 to 1.
    package var fraction: Double {
        guard let totalByteCount else { return 0 }
        return min(1, Double(receivedByteCount) / Double(totalByteCount))
    }

    /// Such as "12.3% of 1.1 MB".
    package var text: String {
        guard let totalByteCount else { return Figures.bytes(receivedByteCount) }
        return Figures.progress(received: receivedByteCount, of: totalByteCount)
    }
}
