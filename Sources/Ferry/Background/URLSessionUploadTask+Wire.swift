import FerryHTTP
import FerryTransfer
import FerryWire
import Foundation
import FoundationNetworking
import Synchronization

extension URLSessionUploadTask {
    /// A task from an earlier launch of the app.
    convenience init(
        _ task: Wire.Task,
        sending upload: Wire.Upload,
        of core: SessionCore,
        session: URLSession
    ) {
        var storage = Storage(task, session: session)
        storage.record(sent: upload.sentByteCount, of: upload.byteCount)
        self.init(identifier: task.identifier, core: core, storage: storage)
    }

    /// A task that is known only from an event.
    convenience init(
        identifier: Int,
        of core: SessionCore,
        session: URLSession,
        _ event: Wire.Event
    ) {
        var storage = Storage(event, session: session)
        storage.record(sent: event.sentByteCount ?? 0, of: NSURLSessionTransferSizeUnknown)
        self.init(identifier: identifier, core: core, storage: storage)
    }

    private convenience init(identifier: Int, core: SessionCore, storage: Storage) {
        self.init(
            identifier: identifier,
            core: core,
            backend: core.backend,
            recipient: .delegate,
            storage: storage
        )
    }
}

extension URLSessionTask.Storage {
    /// Records how much of the request's body was sent and reported to the app.
    fileprivate mutating func record(sent: Int64, of expected: Int64) {
        deliveries = URLSessionTask.Deliveries(deliveredSentByteCount: sent)
        sentCounts = URLSessionTask.SentByteCounts(sent: sent, expected: expected)
    }
}

/// The daemon's events about an upload; on the event loop, in order.
extension URLSessionUploadTask {
    /// Records the server's response in the task, without notifying the app (BG-14).
    func recordBackgroundResponse(_ event: Wire.Event) {
        if let request = event.request { recordRequest(TransferRequest(request)) }
        guard let response = event.response else { return }
        // The task's last event has it, too, if the body has already arrived.
        storage.withLock { $0.response = LatestResponse(response) }
    }

    /// Records how much was sent, and how much of the response was received.
    func recordBackgroundProgress(_ event: Wire.Event) {
        if let sent = event.sentByteCount { recordSent(sent) }
        guard let received = event.receivedByteCount, received > 0 else { return }
        let expected = event.expectedByteCount ?? NSURLSessionTransferSizeUnknown
        recordCounts(ByteCounts(received: received, expected: expected))
    }

    /// Delivers the body of the response, which is in a file.
    ///
    /// - Parameter event: The event that says so.
    /// - Returns: Why the body cannot be delivered, if so.
    func recordBackgroundBody(_ event: Wire.Event) -> URLError? {
        recordBackgroundProgress(event)
        finishProgress()
        guard core.unread == nil else {
            // It is read when the app takes it.
            if let path = event.path { deliver(.finished(FinishedFile(path: path))) }
            return nil
        }
        // The daemon keeps no bodies that are too long to be delivered to a delegate at once.
        let body = event.path.map { path in
            Result { try Data(contentsOf: URL(filePath: path, directoryHint: .notDirectory)) }
        }
        switch body {
        case .success(let data)?:
            if !data.isEmpty { deliver(.data(data)) }
            return nil
        case nil:
            return nil
        case .failure(let error)?:
            return URLError(missingBodyBecause: error, url: originalRequest?.url)
        }
    }
}

extension URLError {
    /// The error of an upload whose response's body cannot be read.
    init(missingBodyBecause error: any Error, url: URL?) {
        self.init(
            .cannotOpenFile,
            url: url,
            reason: "The response's body is not there any more.",
            underlyingError: error
        )
    }
}
