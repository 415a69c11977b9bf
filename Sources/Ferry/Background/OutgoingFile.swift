import FerrySystem
import Foundation
import Synchronization

/// A file on its way to the daemon, which is handed it open.
///
/// It is opened when its task is made, so that it does not matter what becomes of its name after that. But there
/// are only so many descriptors: where many wait for the daemon, the others are opened when their turn comes, and
/// have to be what they were. The first call of a session has its file opened in any case, beyond the limit if need
/// be: those that are open may all wait behind it.
final class OutgoingFile: Sendable {
    /// The file's absolute path.
    let path: String
    /// The file's state when the task was made.
    let identity: FileIdentity

    /// How many bytes are sent.
    var byteCount: Int64 { identity.size }

    private enum State {
        case closed
        /// It is opened as soon as there is a descriptor for it.
        case waiting
        case opening
        /// It is open; and whether its descriptor is one of the limited number.
        case open(UserFile, isCounted: Bool)
        case failed(URLError)
    }

    private let url: URL
    private let state: Mutex<State>

    /// Takes a file as it is now.
    ///
    /// - Throws: As ``OpenedFile/init(_:)``.
    init(_ url: URL) throws(URLError) {
        self.url = url
        path = url.path
        let isKept = Self.descriptors.take()
        do throws(URLError) {
            guard isKept else {
                identity = try UploadFile.identity(of: url)
                state = Mutex(.closed)
                return
            }
            let opened = try UploadFile(url)
            identity = opened.identity
            state = Mutex(.open(opened.file, isCounted: true))
        } catch {
            if isKept { Self.descriptors.giveBack() }
            throw error
        }
    }

    deinit {
        if case .open(_, isCounted: true) = state.withLock({ $0 }) { Self.descriptors.giveBack() }
    }

    /// Whether the daemon can be asked, with the file or to no avail.
    var isReady: Bool {
        state.withLock { state in
            switch state {
            case .closed, .waiting, .opening: false
            case .open, .failed: true
            }
        }
    }

    /// The file, if it is open.
    var opened: UserFile? {
        state.withLock { state in
            if case .open(let file, _) = state { file } else { nil }
        }
    }

    /// Why the file could not be opened, if so.
    var failure: URLError? {
        state.withLock { state in
            if case .failed(let error) = state { error } else { nil }
        }
    }

    /// Opens the file as soon as there is a descriptor for it.
    ///
    /// - Parameters:
    ///   - mayExceed: Whether it is opened now, though there are as many open as there may be.
    ///   - handler: Called later on any thread, when ``isReady``; not if that is being waited for already.
    func open(mayExceed: Bool, then handler: @escaping @Sendable () -> Void) {
        if wait() {
            Self.descriptors.wait { [self] in
                guard stopWaiting() else { return Self.descriptors.giveBack() }
                openLater(isCounted: true, then: handler)
            }
        }
        if mayExceed, stopWaiting() { openLater(isCounted: false, then: handler) }
    }

    private func wait() -> Bool {
        state.withLock { state in
            guard case .closed = state else { return false }
            state = .waiting
            return true
        }
    }

    private func stopWaiting() -> Bool {
        state.withLock { state in
            guard case .waiting = state else { return false }
            state = .opening
            return true
        }
    }

    private func openLater(isCounted: Bool, then handler: @escaping @Sendable () -> Void) {
        AppFiles.queue.perform {
            self.openNow(isCounted: isCounted)
            handler()
        }
    }

    private func openNow(isCounted: Bool) {
        do throws(URLError) {
            let opened = try UploadFile(url)
            guard opened.identity.hasContent(of: identity) else {
                throw URLError(
                    .cannotOpenFile,
                    url: url,
                    reason: "The file was changed after the upload was made, and before it began."
                )
            }
            state.withLock { $0 = .open(opened.file, isCounted: isCounted) }
        } catch {
            if isCounted { Self.descriptors.giveBack() }
            state.withLock { $0 = .failed(error) }
        }
    }

    /// So many files wait open at most, of all sessions: a part of what the process may have.
    private static let descriptors = DescriptorBudget(
        limit: min(256, max(8, ProcessAttributes.currentDescriptorLimit / 4))
    )
}

extension OutgoingFile: Equatable {
    static func == (one: OutgoingFile, other: OutgoingFile) -> Bool { one === other }
}

/// Counts descriptors.
final class DescriptorBudget: Sendable {
    private struct State {
        var left: Int
        var waiting: [@Sendable () -> Void] = []
    }

    private let state: Mutex<State>

    /// Allows so many.
    init(limit: Int) { state = Mutex(State(left: limit)) }

    /// Takes one, if one is left.
    func take() -> Bool {
        state.withLock { state in
            guard state.left > 0 else { return false }
            state.left -= 1
            return true
        }
    }

    /// Takes one and calls `continuation`, at once or when one was given back.
    func wait(_ continuation: @escaping @Sendable () -> Void) {
        let isLeft = state.withLock { state in
            guard state.left > 0 else {
                state.waiting.append(continuation)
                return false
            }
            state.left -= 1
            return true
        }
        if isLeft { continuation() }
    }

    /// Gives one back, to the next who waits.
    func giveBack() {
        let next = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.left += 1
            return nil
        }
        next?()
    }
}
