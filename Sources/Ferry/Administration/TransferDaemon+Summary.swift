package import FerryWire

extension TransferDaemon {
    /// What a list shows of a transfer, which takes less time and room than a ``Transfer``.
    package struct Summary: Hashable, Sendable {
        private let task: Wire.TaskSummary
        /// Why it waits, as in ``Transfer/wait``.
        package let wait: Transfer.Wait?

        /// The summary of a task that waits for something, or for nothing.
        package init(_ task: Wire.TaskSummary, wait: Transfer.Wait?) {
            self.task = task
            self.wait = wait
        }
    }
}

extension TransferDaemon.Summary {
    /// The transfer's number.
    package var id: Int { Int(task.id) }
    /// The identifier of the application that created it.
    package var application: String { task.application }
    /// What the transfer is doing.
    package var state: TransferDaemon.Transfer.State { .init(task.state) }
    /// The application's description of it.
    package var taskDescription: String? { task.description }
    /// The address of the request with which it was created; empty if that is unknown.
    package var originalAddress: String? { task.url }
    /// The address that has replaced it; nil if there is none.
    package var relinkedAddress: String? { task.link }
    /// The status of the latest response; nil before the first one.
    package var status: Int? { task.status }
    /// The value of that response's Content-Disposition field.
    package var contentDisposition: String? { task.disposition }
    /// The number of bytes of the body received so far.
    package var receivedByteCount: Int64 { task.receivedByteCount }
    /// The number of bytes of the whole body; nil if the server has not reported it.
    package var expectedByteCount: Int64? { task.expectedByteCount }
    /// What it sends; nil for a download.
    package var upload: TransferDaemon.Transfer.Upload? { task.upload.map { .init($0) } }
    /// The latest failure.
    package var failure: TransferDaemon.Transfer.Failure? { task.failure.map { .init($0) } }
    /// Whether any certificate of its server is accepted.
    package var acceptsInvalidCertificates: Bool { task.acceptsInvalidCertificates ?? false }
    /// How many bytes per second it has received or sent lately.
    package var bytesPerSecond: Int64? { task.bytesPerSecond.map { Int64($0) } }
}

extension TransferDaemon.Transfer.Upload {
    init(_ upload: Wire.Upload) {
        self.init(byteCount: upload.byteCount, sentByteCount: upload.sentByteCount)
    }
}

extension TransferDaemon.Transfer.Failure {
    init(_ failure: Wire.Failure) { self.init(code: failure.code, message: failure.message) }
}
