import Foundation
import FoundationNetworking
import Synchronization

/// A task that delivers the body of a response as it arrives, or as a whole at the end.
///
/// ```swift
/// let (data, response) = try await session.data(from: url)
/// ```
///
/// ```swift
/// let task = session.dataTask(with: request)
/// task.resume()
/// ```
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {
    /// The recipient of the body.
    enum Recipient: Sendable {
        /// The delegates, part by part.
        case delegate
        /// A closure, at the end.
        case handler(@Sendable (Data?, URLResponse?, (any Error)?) -> Void)
        /// A sequence, byte by byte, and the closure that waits for the response first.
        case bytes(ByteStream, responded: Responded)
    }

    /// Called with the response, or with the error in its place; further calls do nothing.
    typealias Responded = @Sendable (Result<(URLSessionDataTask, URLResponse), any Error>) -> Void

    let recipient: Recipient
    /// The count of the body's bytes that the app has not taken yet.
    let flow = Mutex(DataFlow())

    init(
        identifier: Int,
        core: SessionCore,
        backend: any TaskBackend,
        recipient: Recipient,
        storage: Storage
    ) {
        self.recipient = recipient
        super.init(identifier: identifier, core: core, backend: backend, storage: storage)
    }

    override func notify(_ message: Delivery.Message, newByteCount: Int64) {
        switch (recipient, message) {
        case (.delegate, _): notifyDelegate(message)
        case (.handler(let handler), .completed(let error)):
            let (body, response) = storage.withLock { storage in
                defer { storage.body = nil }
                return (storage.body, storage.response.get())
            }
            handler(error == nil ? body ?? Data() : nil, response, error)
        case (.bytes(let stream, let responded), .completed(let error)):
            // Does nothing if the response was delivered already.
            responded(.failure(error ?? URLError(.badServerResponse)))
            stream.finish(error)
        case (.handler, _), (.bytes, _):
            break
        }
    }

    private func notifyDelegate(_ message: Delivery.Message) {
        guard let session = storage.withLock({ $0.session }) else { return }
        switch message {
        case .data(let data):
            notify(.data) { (delegate: any URLSessionDataDelegate) in
                delegate.urlSession(session, dataTask: self, didReceive: data)
            }
            recordTaken(data.count)
        case .completed(let error):
            notifyCompletion(error, in: session)
        case .resumed, .progressed, .sent, .sentAnew, .finished, .call, .socket:
            break
        }
    }

    /// Records bytes of the body that the app has taken.
    func recordTaken(_ byteCount: Int) {
        if flow.withLock({ $0.take(byteCount) }) { backend.appCaughtUp(with: self) }
    }
}

extension URLSessionDataTask {
    /// Replaces this task in the session with a download task, and notifies the delegate.
    ///
    /// - Returns: The running download task.
    func becomeDownload() -> URLSessionDownloadTask {
        let inherited = storage.withLock { storage in
            var inherited = storage
            inherited.deliveries = .held
            inherited.progress = nil
            storage.lifecycle.complete()
            return inherited
        }
        let download = URLSessionDownloadTask(
            identifier: taskIdentifier,
            core: core,
            backend: backend,
            recipient: .delegate,
            storage: inherited
        )
        core.replaceTask(with: download)
        deliver(
            .call { [self] session in
                notify(.becameDownload) { (delegate: any URLSessionDataDelegate) in
                    delegate.urlSession(session, dataTask: self, didBecome: download)
                }
                letGo()
            },
            // The download's messages follow this one, on any queue.
            didDeliver: { download.notifyHeldMessages() }
        )
        return download
    }
}

extension URLSessionTask {
    /// Delivers the messages that had to wait: for those of the data task, or for the app to know of the task.
    func notifyHeldMessages() {
        if storage.withLock({ $0.deliveries.didDeliver() }) { core.delegateCalls.enqueue(self) }
    }
}

/// Decides when a body waits for an app that is slower than the network.
struct DataFlow: Sendable {
    /// The number of bytes kept for an app that does not take them before the server has to wait.
    static let greatestByteCount = 1 << 20

    private var byteCount = 0
    private var isHeldBack = false

    /// Records bytes that have arrived for the app.
    ///
    /// - Returns: Whether the body must wait from now on.
    mutating func add(_ count: Int) -> Bool {
        byteCount += count
        guard byteCount > Self.greatestByteCount, !isHeldBack else { return false }
        isHeldBack = true
        return true
    }

    /// Records bytes that the app has taken.
    ///
    /// - Returns: Whether the waiting body may continue.
    mutating func take(_ count: Int) -> Bool {
        byteCount -= count
        guard isHeldBack, byteCount <= Self.greatestByteCount / 2 else { return false }
        isHeldBack = false
        return true
    }
}
