import FerryTransfer
public import Foundation
public import FoundationNetworking

extension URLSession {
    /// Downloads a file in the background, and finds its own transfer again in later launches of the app.
    ///
    /// ```swift
    /// let session = URLSession(configuration: .background(withIdentifier: "isos"))
    /// try await session.file(from: url, to: URL(filePath: "debian.iso"))
    /// ```
    ///
    /// The transfer belongs to the request's URL, method and body and to the target: a call with the same ones finds the transfer
    /// that an earlier call has made, in this launch or another one, whether it runs or has ended meanwhile. If the app is
    /// killed, the daemon completes the transfer and starts the app again, as if ``Application/delegate`` were set (see
    /// ``Application/relaunch``), and its call takes the file.
    ///
    /// A program may have several such calls. As long as one of their transfers is left, those whose files were saved
    /// before the program was killed return at once, as far as the daemon remembers them: the last 1 000. Otherwise a call
    /// loads the file again, as a second run of the program means to.
    ///
    /// When the call returns, the complete file is at the target and on disk, in place of one that was there, with permissions as
    /// the umask leaves them. A response with a status of 400 or more is an error, not a file. The target's
    /// directory must exist; where it is suitable, the file grows in it (``TransferOptions/destinationDirectory``).
    ///
    /// The session must have no delegate. The task's ``URLSessionTask/taskDescription`` is the library's. Apple's library has
    /// no such method: there, `async` methods trap in background sessions.
    ///
    /// - Parameters:
    ///   - request: A request for an HTTP or HTTPS URL.
    ///   - target: The URL of the file.
    ///   - cancelsWithTask: Whether cancelling the surrounding Swift task cancels the transfer. By default the transfer goes on,
    ///     and a later call takes its file.
    ///   - prepare: Called with the task before it is resumed, or with the one that was found, such as to show its
    ///     progress or to set its priority and ``URLSessionTask/transferOptions``. Not called for a file that an earlier
    ///     launch has saved.
    /// - Returns: The response.
    /// - Throws: `URLError` of the transfer; `cannotCreateFile` or `fileIsDirectory` if nothing can be saved at the
    ///   target, before anything is loaded; `cannotWriteToFile` if the complete file cannot be moved there: it stays with the
    ///   daemon, and the next call tries again. `resourceUnavailable` if the session has a delegate, or is no background
    ///   session. `CancellationError` if the surrounding Swift task is cancelled.
    @discardableResult
    public func file(
        for request: URLRequest,
        to target: URL,
        cancelsWithTask: Bool = false,
        prepare: (URLSessionDownloadTask) -> Void = { _ in }
    ) async throws -> URLResponse {
        let unread = try core.requireUnread()
        unread.follow()
        let saved = try SavedFile(target, from: request.url)
        let key = FileTransferDescription.Key(request, path: saved.path)
        do {
            try await core.loadTransfers(unread)
            if unread.takeSaved(key), let count = await unread.perform({ saved.byteCount }) {
                return URLResponse(of: request, byteCount: count)
            }
            while true {
                let transfer = try await core.transfer(key, request, to: saved, unread)
                transfer.begin(prepare)
                defer { unread.leave(transfer) }
                if let response = try await unread.take(transfer, as: saved) { return response }
            }
        } catch let error as CancellationError {
            if cancelsWithTask, let transfer = unread.transfer(key, of: core) {
                unread.cancel(transfer)
            }
            throw error
        }
    }

    /// Downloads a file in the background, and finds its own transfer again in later launches of the app.
    ///
    /// See ``file(for:to:cancelsWithTask:prepare:)``.
    ///
    /// - Parameters:
    ///   - url: An HTTP or HTTPS URL.
    ///   - target: The URL of the file.
    ///   - cancelsWithTask: Whether cancelling the surrounding Swift task cancels the transfer.
    ///   - prepare: Called with the task before it is resumed, or with the one that was found.
    /// - Returns: The response.
    /// - Throws: `URLError`; `CancellationError` if the surrounding Swift task is cancelled.
    @discardableResult
    public func file(
        from url: URL,
        to target: URL,
        cancelsWithTask: Bool = false,
        prepare: (URLSessionDownloadTask) -> Void = { _ in }
    ) async throws -> URLResponse {
        try await file(
            for: URLRequest(url: url),
            to: target,
            cancelsWithTask: cancelsWithTask,
            prepare: prepare
        )
    }
}

extension SessionCore {
    /// Returns the events that the app takes without a delegate.
    ///
    /// - Throws: `resourceUnavailable` for a session with a delegate, and for one in the app's process.
    func requireUnread() throws(URLError) -> UnreadEvents {
        if let unread { return unread }
        throw URLError(
            .resourceUnavailable,
            url: nil,
            reason: isBackground
                ? "The session has a delegate, which gets its events: make it without one."
                : "The session is no background session: make it with .background(withIdentifier:)."
        )
    }

    /// Waits until the transfers of earlier launches are known.
    fileprivate func loadTransfers(_ unread: UnreadEvents) async throws {
        guard case .daemon(let backend) = carrier, !backend.knowsAllTasks else { return }
        unread.forgetFailure()
        backend.prepareForTask()
        await valueUnlessCancelled(orElse: ()) { finish in
            backend.loadTasks(of: self) { finish(()) }
        }
        try Task.checkCancellation()
        // A session that is invalidated meanwhile lists nothing.
        _ = try requireHandle(for: nil)
        guard backend.knowsAllTasks else {
            throw unread.failure
                ?? URLError(
                    .backgroundSessionWasDisconnected,
                    url: nil,
                    reason: "The session's transfers cannot be listed."
                )
        }
    }

    /// Returns the transfer for a request and a path; makes it if there is none, and a file can be saved there.
    fileprivate func transfer(
        _ key: FileTransferDescription.Key,
        _ request: URLRequest,
        to saved: SavedFile,
        _ unread: UnreadEvents
    ) async throws -> FileTransfer {
        try Task.checkCancellation()
        if let transfer = unread.transfer(key, of: self) { return transfer }
        let problem = await unread.perform { saved.problem(from: request.url) }
        if let problem { throw problem }
        return try unread.transfer(key, of: self) { description throws(URLError) in
            try self.makeFileTask(for: request, to: saved, description)
        }
    }

    /// Returns the session.
    ///
    /// - Throws: `resourceUnavailable` if it was invalidated.
    private func requireHandle(for url: URL?) throws(URLError) -> URLSession {
        if isActive, let handle { return handle }
        throw URLError(
            .resourceUnavailable,
            url: url,
            reason: "The session was invalidated: make another one."
        )
    }

    private func makeFileTask(
        for request: URLRequest,
        to saved: SavedFile,
        _ description: FileTransferDescription
    ) throws(URLError) -> URLSessionDownloadTask {
        let handle = try requireHandle(for: request.url)
        return makeDownloadTask(from: .request(request), of: handle) { storage in
            storage.taskDescription = description.text
            storage.transferOptions.deliversErrorResponses = false
            storage.transferOptions.destinationDirectory = URL(
                filePath: saved.directory,
                directoryHint: .isDirectory
            )
        }
    }
}

extension UnreadEvents {
    /// Waits for the end of a transfer, saves its file, and acknowledges the end.
    ///
    /// - Parameters:
    ///   - transfer: The transfer.
    ///   - saved: Where the file is saved.
    /// - Returns: The response; nil if an earlier launch has taken the file, and it is not at its target.
    /// - Throws: Why there is no file; `CancellationError`.
    fileprivate func take(
        _ transfer: FileTransfer,
        as saved: SavedFile
    ) async throws -> URLResponse? {
        await valueUnlessCancelled(orElse: ()) { finish in transfer.wait { finish(()) } }
        while true {
            try Task.checkCancellation()
            let outcome = await perform {
                transfer.settle(saved) { self.acknowledge($0) }
            }
            switch outcome {
            case .saved:
                let task = transfer.task
                return task.response
                    ?? URLResponse(of: task.originalRequest, byteCount: task.countOfBytesReceived)
            case .missing: return nil
            case .failed(let error): throw error
            case .refused(let error): throw error
            case .away(let file):
                await valueUnlessCancelled(orElse: ()) { finish in
                    AbsentFiles.shared.wait(for: file) { finish(()) }
                }
            }
        }
    }
}

extension URLResponse {
    /// The response of which no more is left than its file.
    fileprivate convenience init(of request: URLRequest?, byteCount: Int64) {
        self.init(
            url: request?.url ?? URL(filePath: "/"),
            mimeType: nil,
            expectedContentLength: Int(byteCount),
            textEncodingName: nil
        )
    }
}
