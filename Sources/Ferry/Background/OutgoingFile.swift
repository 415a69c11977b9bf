import FerrySystem
import Foundation
import Synchronization

/// A file that is passed to the daemon as an open descriptor.
///
/// It is opened when its task is made, so that later changes to its name have no effect. But descriptors are limited:
/// if many files wait for the daemon, the others are opened when their turn comes, and must be unchanged. The file of
/// a session's first call is opened in any case, beyond the limit if necessary: all open files may wait behind it.
final class OutgoingFile: Sendable {
    /// The file's absolute path.
    let path: String
    /// The file's state when the task was made.
    let identity: FileIdentity

    /// The number of bytes to send.
    var byteCount: Int64 { identity.size }

    private enum State {
        case closed
        /// It waits for a descriptor, or is being opened.
        case opening
        case open(UserFile)
        case failed(URLError)
    }

    private let url: URL
    private let descriptors: DescriptorBudget
    private let state: Mutex<State>

    /// Records a file in its current state.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - descriptors: The limit on open files that wait.
    /// - Throws: As ``UploadFile/init(_:)``.
    init(_ url: URL, descriptors: DescriptorBudget = .waitingFiles) throws(URLError) {
        self.url = url
        self.descriptors = descriptors
        path = url.path
        guard descriptors.take() else {
            identity = try UploadFile.identity(of: url)
            state = Mutex(.closed)
            return
        }
        do throws(URLError) {
            let opened = try Self.openCounted(url, descriptors)
            identity = opened.identity
            state = Mutex(.open(opened.file))
        } catch {
            // It is opened as soon as the process has a descriptor again.
            guard error.isShortage else { throw error }
            identity = try UploadFile.identity(of: url)
            state = Mutex(.closed)
        }
    }

    /// Whether the call can be sent: the file is open, or could not be opened.
    var isReady: Bool {
        state.withLock { state in
            switch state {
            case .closed, .opening: false
            case .open, .failed: true
            }
        }
    }

    /// The file, if it is open.
    var opened: UserFile? {
        state.withLock { state in
            if case .open(let file) = state { file } else { nil }
        }
    }

    /// Why the file could not be opened, if so.
    var failure: URLError? {
        state.withLock { state in
            if case .failed(let error) = state { error } else { nil }
        }
    }

    /// Opens the file as soon as a descriptor is available.
    ///
    /// - Parameters:
    ///   - mayExceed: Whether it is opened now, even beyond the limit.
    ///   - handler: Called later on any thread, when ``isReady``; not if an earlier call is waiting for that.
    func open(mayExceed: Bool, then handler: @escaping @Sendable () -> Void) {
        let owner = ObjectIdentifier(self)
        if begin() {
            descriptors.wait(owner) { self.openLater(isCounted: true, then: handler) }
        }
        // What still waited would keep the file open until its turn, which may come long after its call is done.
        if mayExceed, descriptors.stopWaiting(owner) {
            openLater(isCounted: false, then: handler)
        }
    }

    private func begin() -> Bool {
        state.withLock { state in
            guard case .closed = state else { return false }
            state = .opening
            return true
        }
    }

    private func openLater(isCounted: Bool, then handler: @escaping @Sendable () -> Void) {
        AppFiles.queue.perform {
            guard self.openNow(isCounted: isCounted) else {
                // Nothing says when the process, or the system, has a descriptor again.
                return LoopActor.perform {
                    _ = EventLoop.shared.schedule(after: Self.pause) {
                        self.openLater(isCounted: false, then: handler)
                    }
                }
            }
            handler()
        }
    }

    /// Opens the file; returns false if there is no descriptor for it at the moment.
    private func openNow(isCounted: Bool) -> Bool {
        do throws(URLError) {
            let opened = isCounted ? try Self.openCounted(url, descriptors) : try UploadFile(url)
            guard opened.identity.hasContent(of: identity) else {
                throw URLError(
                    .cannotOpenFile,
                    url: url,
                    reason: "The file was changed after the upload was made, and before it began."
                )
            }
            state.withLock { $0 = .open(opened.file) }
        } catch {
            if error.isShortage { return false }
            state.withLock { $0 = .failed(error) }
        }
        return true
    }

    /// Opens a file with a descriptor that was taken, and returns that when the file is closed or cannot be opened.
    private static func openCounted(
        _ url: URL,
        _ descriptors: DescriptorBudget
    ) throws(URLError) -> UploadFile {
        do throws(URLError) {
            return try UploadFile(url) { descriptors.giveBack() }
        } catch {
            descriptors.giveBack()
            throw error
        }
    }

    /// The time after which a file is tried again for which there was no descriptor.
    private static let pause = Duration.milliseconds(500)
}

extension OutgoingFile: Equatable {
    static func == (one: OutgoingFile, other: OutgoingFile) -> Bool { one === other }
}

/// Counts descriptors.
final class DescriptorBudget: Sendable {
    private struct Waiter {
        let owner: ObjectIdentifier
        let continuation: @Sendable () -> Void
    }

    private struct State {
        var left: Int
        /// Few: a session's calls wait behind the first of them that needs a descriptor.
        var waiting: [Waiter] = []
    }

    /// The budget of open files that wait, in all sessions: a part of the process's limit.
    static let waitingFiles = DescriptorBudget(
        limit: min(256, max(8, ProcessAttributes.currentDescriptorLimit / 4))
    )

    private let state: Mutex<State>

    /// Creates a budget of `limit` descriptors.
    init(limit: Int) { state = Mutex(State(left: limit)) }

    /// Takes a descriptor, if one is left.
    func take() -> Bool {
        state.withLock { state in
            guard state.left > 0 else { return false }
            state.left -= 1
            return true
        }
    }

    /// Takes a descriptor for `owner` and calls `continuation`, at once or when a descriptor is returned.
    func wait(_ owner: ObjectIdentifier, _ continuation: @escaping @Sendable () -> Void) {
        let isLeft = state.withLock { state in
            guard state.left > 0 else {
                state.waiting.append(Waiter(owner: owner, continuation: continuation))
                return false
            }
            state.left -= 1
            return true
        }
        if isLeft { continuation() }
    }

    /// Releases the continuation of an owner that waits, which is not called then.
    ///
    /// - Returns: Whether it waited.
    func stopWaiting(_ owner: ObjectIdentifier) -> Bool {
        state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.owner == owner }) else {
                return false
            }
            state.waiting.remove(at: index)
            return true
        }
    }

    /// Returns a descriptor, to the next caller that waits.
    func giveBack() {
        let next = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
            state.left += 1
            return nil
        }
        next?()
    }
}
