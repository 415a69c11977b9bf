import Foundation
import Synchronization

/// A stream of a response's body from the event loop to the task that iterates over it.
///
/// Bytes that have been appended and not read yet wait here, without a limit: the owner is notified of each read, and
/// pauses the transfer while too many wait. Members may be used from any thread.
final class ByteStream: Sendable {
    private let state = Mutex(State())
    private let url: URL?
    private let whenTaken: @Sendable (Int) -> Void
    private let whenAbandoned: @Sendable () -> Void

    /// A stream with nothing in it.
    ///
    /// - Parameters:
    ///   - url: The URL of the request, for the error of a stream that is abandoned.
    ///   - whenTaken: Called with the size of each piece that was taken, where its reader runs.
    ///   - whenAbandoned: Called when the rest is no longer wanted, at most once and only before the end: a
    ///     Swift task that reads was cancelled, or ``abandon()`` was called.
    init(
        from url: URL? = nil,
        whenTaken: @escaping @Sendable (Int) -> Void,
        whenAbandoned: @escaping @Sendable () -> Void
    ) {
        self.url = url
        self.whenTaken = whenTaken
        self.whenAbandoned = whenAbandoned
    }

    /// Appends a piece; does nothing after the end.
    func append(_ data: Data) {
        guard !data.isEmpty else { return }
        let reader = state.withLock { $0.append(data) }
        reader?.resume(returning: .success(data))
    }

    /// Ends the stream after the appended pieces, with an error or without; further calls do nothing.
    func finish(_ error: (any Error)?) {
        let readers = state.withLock { $0.finish(error) }
        resume(readers, error)
    }

    /// Drops the waiting pieces; reading then fails with `URLError.Code.cancelled`.
    func abandon() {
        let error = URLError(.cancelled, url: url, reason: "The task was cancelled.")
        guard let readers = state.withLock({ $0.abandon(error) }) else { return }
        whenAbandoned()
        resume(readers, error)
    }

    /// Takes the next piece; waits for it if there is none yet.
    ///
    /// When the Swift task that calls it is cancelled, the stream is abandoned. If several tasks call it at once,
    /// each gets some of the pieces.
    ///
    /// - Returns: The piece; nil at the end and after an error.
    /// - Throws: The error that the stream has ended with, once.
    func next() async throws -> Data? {
        // Otherwise a reader that never has to wait would not notice the cancellation.
        if Task.isCancelled { abandon() }
        let piece = try await takeNext().get()
        if let piece { whenTaken(piece.count) }
        return piece
    }

    private func takeNext() async -> Result {
        if let result = state.withLock({ $0.take() }) { return result }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { reader in
                let result = state.withLock { $0.take(otherwise: reader) }
                if let result { reader.resume(returning: result) }
            }
        } onCancel: {
            abandon()
        }
    }

    private func resume(_ readers: [Reader], _ error: (any Error)?) {
        var error = error
        for reader in readers {
            reader.resume(returning: error.map { .failure($0) } ?? .success(nil))
            error = nil
        }
    }
}

extension ByteStream {
    fileprivate typealias Result = Swift.Result<Data?, any Error>
    fileprivate typealias Reader = CheckedContinuation<Result, Never>

    /// The waiting pieces and readers, at least one of which is empty.
    private struct State {
        private var pieces: [Data] = []
        /// How many of the pieces were taken.
        private var takenCount = 0
        private var readers: [Reader] = []
        private var hasEnded = false
        private var error: (any Error)?

        /// Keeps a piece, or returns the reader that gets it.
        mutating func append(_ data: Data) -> Reader? {
            guard !hasEnded else { return nil }
            guard readers.isEmpty else { return readers.removeFirst() }
            pieces.append(data)
            return nil
        }

        /// Takes the next piece, or the end; nil if neither is available yet.
        mutating func take() -> Result? {
            if takenCount < pieces.count { return .success(takeFirst()) }
            guard hasEnded else { return nil }
            defer { error = nil }
            return error.map { .failure($0) } ?? .success(nil)
        }

        /// Takes the next piece, or the end; keeps the reader if neither is available yet.
        mutating func take(otherwise reader: Reader) -> Result? {
            if let result = take() { return result }
            readers.append(reader)
            return nil
        }

        /// Ends the stream and returns the readers to resume.
        mutating func finish(_ error: (any Error)?) -> [Reader] {
            guard !hasEnded else { return [] }
            hasEnded = true
            defer { readers = [] }
            if readers.isEmpty { self.error = error }
            return readers
        }

        /// Drops the pieces, ends the stream and returns the readers to resume; nil if it has already ended.
        mutating func abandon(_ error: any Error) -> [Reader]? {
            guard !hasEnded else { return nil }
            pieces = []
            takenCount = 0
            return finish(error)
        }

        /// Removing the first of many pieces takes time for all of them, so it is done for many at once.
        private mutating func takeFirst() -> Data {
            let piece = pieces[takenCount]
            pieces[takenCount] = Data()
            takenCount += 1
            if takenCount == pieces.count || takenCount >= 64 {
                pieces.removeFirst(takenCount)
                takenCount = 0
            }
            return piece
        }
    }
}
