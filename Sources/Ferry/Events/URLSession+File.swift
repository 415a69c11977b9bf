import FerryTransfer
import FerryWire
public import Foundation
public import FoundationNetworking
import Synchronization

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
    /// When the call returns, the complete file is at the target and on disk, in place of one that was there, with the permissions
    /// that the app's own files have. A response with a status of 400 or more is an error, not a file. The target's
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
    ///   - prepare: Called once with the task before it is resumed, or with the one that was found, such as to show its
    ///     progress or to set its priority and ``URLSessionTask/transferOptions``.
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
        let saved = try SavedFile(target, from: request.url)
        unread.follow()
        await core.findRun(unread)
        let key = SavedTransfer.Key(request, path: saved.path)
        if unread.takeSaved(key), saved.exists { return URLResponse(of: saved, request) }
        while true {
            try Task.checkCancellation()
            let task = unread.transfer(key, among: core.tasks) { make($0, request, saved) }
            prepare(task)
            task.resume()
            guard let end = await end(of: task, unread) else {
                if cancelsWithTask { task.cancel() }
                throw CancellationError()
            }
            if let response = try await unread.take(end, as: saved) { return response }
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
    ///   - prepare: Called once with the task before it is resumed, or with the one that was found.
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

    private func make(
        _ transfer: SavedTransfer,
        _ request: URLRequest,
        _ saved: SavedFile
    ) -> URLSessionDownloadTask {
        let task = downloadTask(with: request)
        task.taskDescription = transfer.description
        task.transferOptions.deliversErrorResponses = false
        task.transferOptions.destinationDirectory = URL(
            filePath: saved.directory,
            directoryHint: .isDirectory
        )
        return task
    }

    /// Waits for the end of a transfer; nil when the surrounding Swift task is cancelled.
    private func end(
        of task: URLSessionDownloadTask,
        _ unread: UnreadEvents
    ) async -> UnreadEvents.End? {
        await valueUnlessCancelled(orElse: nil) { finish in
            unread.wait(for: task) { finish($0) }
        }
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

    /// Finds out which run this launch belongs to: that of the transfers that are left, or a new one.
    func findRun(_ unread: UnreadEvents) async {
        await valueUnlessCancelled(orElse: ()) { finish in
            backend.loadTasks(of: self) { finish(()) }
        }
        guard unread.run == nil else { return }
        guard let earlier = tasks.compactMap({ $0.saved?.run }).max() else {
            let now = Int64(Date().timeIntervalSince1970 * 1_000_000)
            return unread.begin(UnreadEvents.Run(number: now, saved: []))
        }
        let ended = await endedTransfers()
        let saved = ended.compactMap { $0.failure == nil ? $0.description : nil }
            .compactMap { SavedTransfer(description: $0) }.filter { $0.run == earlier }
        unread.begin(UnreadEvents.Run(number: earlier, saved: Set(saved.map(\.key))))
    }

    /// Returns what the daemon remembers of the session's transfers that have ended; none without a daemon.
    private func endedTransfers() async -> [Wire.EndedTask] {
        guard case .daemon(let backend) = carrier else { return [] }
        return await valueUnlessCancelled(orElse: []) { finish in
            backend.listEnded { finish($0) }
        }
    }
}

extension UnreadEvents {
    /// What has become of a transfer's file.
    private enum Outcome {
        /// It is at its target.
        case saved
        /// An earlier launch has taken it, and it is not at its target.
        case missing
        /// Its disk is missing.
        case away(FinishedFile)
        /// There is no file.
        case lost(URLError)
        /// It cannot be moved to its target now.
        case refused(URLError)
    }

    /// Saves the file of a transfer that has ended, and acknowledges the end.
    ///
    /// - Parameters:
    ///   - end: The end.
    ///   - saved: Where the file is saved.
    /// - Returns: The response; nil if an earlier launch has taken the file, and it is not at its target.
    /// - Throws: Why there is no file.
    fileprivate func take(_ end: End, as saved: SavedFile) async throws -> URLResponse? {
        if let error = end.error {
            acknowledge(end)
            throw error
        }
        while true {
            switch await perform({ self.move(end, to: saved) }) {
            case .saved:
                let request = end.task.originalRequest
                return end.task.response ?? URLResponse(of: saved, request)
            case .missing: return nil
            case .lost(let error), .refused(let error): throw error
            case .away(let file):
                await valueUnlessCancelled(orElse: ()) { finish in
                    AbsentFiles.shared.wait(for: file) { finish(()) }
                }
                try Task.checkCancellation()
            }
        }
    }

    /// Moves a file to its target and acknowledges that, for one caller after the other.
    private func move(_ end: End, to saved: SavedFile) -> Outcome {
        // Another call for the same target may have taken it.
        guard holds(end) else { return saved.exists ? .saved : .missing }
        let outcome = outcome(of: end, saved)
        switch outcome {
        case .saved:
            let location = URL(filePath: saved.path, directoryHint: .notDirectory)
            end.task.storage.withLock { $0.savedLocation = location }
            acknowledge(end)
        case .missing, .lost: acknowledge(end)
        case .away, .refused: break
        }
        return outcome
    }

    private func outcome(of end: End, _ saved: SavedFile) -> Outcome {
        guard let file = end.file else { return saved.exists ? .saved : .missing }
        let url = end.task.originalRequest?.url
        switch file.presence() {
        case .here:
            file.markDelivered()
            do throws(URLError) {
                try saved.take(file, from: url)
                return .saved
            } catch {
                return .refused(error)
            }
        case .taken: return saved.exists ? .saved : .missing
        case .removed: return .lost(URLError(removed: file, url: url))
        case .away: return .away(file)
        }
    }
}

extension URLResponse {
    /// The response of which no more is left than its file.
    fileprivate convenience init(of saved: SavedFile, _ request: URLRequest?) {
        self.init(
            url: request?.url ?? URL(filePath: saved.path),
            mimeType: nil,
            expectedContentLength: Int(saved.byteCount),
            textEncodingName: nil
        )
    }
}
