import FerryHTTP
import FerryTransfer
import FerryWire
import Foundation
import FoundationNetworking
import Synchronization

extension URLSessionUploadTask {
    /// A task that an earlier launch of the app has made.
    convenience init(
        _ task: Wire.Task,
        sending upload: Wire.Upload,
        of core: SessionCore,
        session: URLSession
    ) {
        var storage = Storage(task, session: session)
        storage.note(sent: upload.sentByteCount, of: upload.byteCount)
        self.init(identifier: task.identifier, core: core, storage: storage)
    }

    /// A task of which nothing is known but an event.
    convenience init(
        identifier: Int,
        of core: SessionCore,
        session: URLSession,
        _ event: Wire.Event
    ) {
        var storage = Storage(event, session: session)
        storage.note(sent: event.sentByteCount ?? 0, of: NSURLSessionTransferSizeUnknown)
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
    /// So much of the request's body was sent, of which the app has been told.
    fileprivate mutating func note(sent: Int64, of expected: Int64) {
        deliveries = URLSessionTask.Deliveries(toldSentByteCount: sent)
        sentCounts = URLSessionTask.SentByteCounts(sent: sent, expected: expected)
    }
}

/// What the daemon has to say of an upload; on the event loop, in order.
extension URLSessionUploadTask {
    /// The server has answered; the app is not told, but finds the response in the task (BG-14).
    func noteBackgroundResponse(_ event: Wire.Event) {
        if let request = event.request { noteRequest(TransferRequest(request)) }
        guard let response = event.response else { return }
        // Its last event has it, too, when the body is there already.
        storage.withLock { $0.response = LatestResponse(HTTPResponseHead(response)) }
    }

    /// So much was sent, and so much of the answer is there.
    func noteBackgroundProgress(_ event: Wire.Event) {
        if let sent = event.sentByteCount { noteSent(sent) }
        guard let received = event.receivedByteCount, received > 0 else { return }
        let expected = event.expectedByteCount ?? NSURLSessionTransferSizeUnknown
        noteCounts(ByteCounts(received: received, expected: expected))
    }

    /// The body of the answer is in a file.
    ///
    /// - Parameters:
    ///   - event: The event that says so.
    ///   - wasTold: Called on the delegate queue when the app has been told.
    /// - Returns: Why the app cannot be told.
    func noteBackgroundBody(
        _ event: Wire.Event,
        wasTold: @escaping @Sendable () -> Void
    ) -> URLError? {
        noteBackgroundProgress(event)
        finishProgress()
        // The daemon keeps no longer ones than a delegate can be handed at once.
        let body = event.path.map { path in
            Result { try Data(contentsOf: URL(filePath: path, directoryHint: .notDirectory)) }
        }
        switch body {
        case .success(let data)? where !data.isEmpty:
            deliver(.data(data), wasTold: wasTold)
            return nil
        case .success?, nil:
            deliver(.call { _ in }, wasTold: wasTold)
            return nil
        case .failure(let error)?:
            deliver(.call { _ in }, wasTold: wasTold)
            return URLError(
                .cannotOpenFile,
                url: originalRequest?.url,
                reason: "The response's body is not there any more.",
                underlyingError: error
            )
        }
    }
}
