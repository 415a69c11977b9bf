import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking
import Synchronization

extension DataContent {
    /// The destination of the body.
    enum Sink {
        /// To the delegate, part by part.
        case delegate(URLSessionDataTask)
        /// To a closure, at the end.
        case memory(URLSessionDataTask, Data)
        /// To a sequence of bytes.
        case bytes(
            URLSessionDataTask,
            ByteStream,
            responded: URLSessionDataTask.Responded
        )
        /// To a file.
        case file(URLSessionDownloadTask, PartialFile?)

        init(_ task: URLSessionDataTask) {
            switch task.recipient {
            case .delegate: self = .delegate(task)
            case .handler: self = .memory(task, Data())
            case .bytes(let stream, let responded):
                self = .bytes(task, stream, responded: responded)
            }
        }

        /// Whether the app receives the response before the end; otherwise its object is not made on the event loop.
        var takesResponse: Bool {
            switch self {
            case .delegate, .bytes: true
            case .memory, .file: false
            }
        }
    }

    // MARK: - The response

    /// Delivers the response to the app, or asks it how to proceed.
    func respond(_ response: URLResponse) {
        switch sink {
        case .delegate(let task): ask(task, about: response)
        case .bytes(let task, _, let responded): responded(.success((task, response)))
        case .memory, .file: break
        }
    }

    private func ask(_ task: URLSessionDataTask, about response: URLResponse) {
        guard task.hasHandler(.response, by: (any URLSessionDataDelegate).self) else { return }
        isAsking = true
        updateFlow()
        let question: URLSessionTask.Question<any URLSessionDataDelegate, Disposition> = {
            session,
            delegate,
            answer in
            delegate.urlSession(
                session,
                dataTask: task,
                didReceive: response,
                completionHandler: answer
            )
        }
        task.ask(.response, question, orElse: .allow) { [weak self] in
            self?.decided($0, for: task)
        }
    }

    private typealias Disposition = URLSession.ResponseDisposition

    private func decided(
        _ disposition: URLSession.ResponseDisposition,
        for task: URLSessionDataTask
    ) {
        switch disposition {
        case .allow: break
        case .cancel: return task.cancel()
        case .becomeDownload: becomeDownload(task)
        case .becomeStream:
            let reason = "There are no stream tasks on Linux."
            return fail(URLError(.unsupportedURL, url: task.currentRequest?.url, reason: reason))
        }
        isAsking = false
        updateFlow()
        if let pendingEnd { didFinish(pendingEnd.error) }
    }

    private func becomeDownload(_ task: URLSessionDataTask) {
        let download = task.becomeDownload()
        sink = .file(download, nil)
        decider.task = download
    }

    // MARK: - The body

    /// Takes a part of the body.
    func take(_ bytes: UnsafeRawBufferPointer) throws(URLError) {
        task.recordBodyBytes(bytes.count, coded: coded)
        switch sink {
        case .delegate(let task):
            deliver(Data(bytes), to: task)
        case .memory(let task, var body):
            // Released first, so that the bytes need not be copied.
            sink = .memory(task, Data())
            let limit = engine.configuration.maximumInMemoryBodySize
            guard bytes.count <= limit - body.count else { throw tooLongForMemory(limit) }
            body.append(contentsOf: bytes)
            sink = .memory(task, body)
        case .bytes(let task, let stream, _):
            if task.flow.withLock({ $0.add(bytes.count) }) { holdBack(true) }
            stream.append(Data(bytes))
        case .file(let task, let file):
            try write(bytes, of: task, to: file)
        }
    }

    private func tooLongForMemory(_ limit: Int) -> URLError {
        URLError(
            .dataLengthExceedsMaximum,
            url: task.currentRequest?.url,
            reason:
                "The response's body is longer than \(limit) bytes, which is what the session's configuration "
                + "allows in memory (maximumInMemoryBodySize). A download task has no such limit."
        )
    }

    private func deliver(_ data: Data, to task: URLSessionDataTask) {
        if task.flow.withLock({ $0.add(data.count) }) { holdBack(true) }
        task.deliver(.data(data))
    }

    private func write(
        _ bytes: UnsafeRawBufferPointer,
        of task: URLSessionDownloadTask,
        to file: PartialFile?
    ) throws(URLError) {
        do throws(TransferError) {
            let file = try openFile(file, of: task)
            try file.write(bytes)
            task.recordProgress(file.byteCount, of: task.expectedBodyByteCount, coded: coded)
        } catch {
            throw URLError(error, url: task.currentRequest?.url)
        }
    }

    private func openFile(
        _ present: PartialFile?,
        of task: URLSessionDownloadTask
    ) throws(TransferError) -> PartialFile {
        if let present { return present }
        let file = DownloadDirectory.makeFile(in: try decider.engine.downloadDirectory())
        try file.recover(checkpoint: nil)
        let url = task.currentRequest?.url?.absoluteString ?? ""
        try file.begin(ResourceVersion(validator: nil, totalByteCount: nil, url: url))
        sink = .file(task, file)
        return file
    }

    // MARK: - The end

    /// Completes the body's destination.
    ///
    /// - Returns: The error, if that fails.
    func finishSink() -> (any Error)? {
        switch sink {
        case .delegate, .bytes: break
        case .memory(let task, let body):
            task.storage.withLock { $0.body = body }
        case .file(let task, let file):
            do throws(TransferError) {
                let file = try openFile(file, of: task)
                let byteCount = file.byteCount
                try file.requireIntact()
                task.recordFile(
                    FinishedFile(path: try DownloadDirectory.publish(file)),
                    byteCount: byteCount
                )
            } catch {
                return URLError(error, url: task.currentRequest?.url)
            }
        }
        return nil
    }

    /// Reports the end to the app.
    func deliverEnd(_ error: (any Error)?) {
        if error != nil, case .file(_, let file?) = sink { try? file.remove() }
        if error == nil { task.finishProgress() }
        decider.deliverEnd(error)
    }

    // MARK: - The cache

    func mayStore(
        _ proposed: CachedURLResponse,
        then store: @escaping @LoopActor (CachedURLResponse?) -> Void
    ) {
        guard case .delegate(let task) = sink else { return store(proposed) }
        let question: URLSessionTask.Question<any URLSessionDataDelegate, CachedURLResponse?> = {
            session,
            delegate,
            answer in
            delegate.urlSession(
                session,
                dataTask: task,
                willCacheResponse: proposed,
                completionHandler: answer
            )
        }
        task.ask(.cachedResponse, question, orElse: proposed, then: store)
    }
}
