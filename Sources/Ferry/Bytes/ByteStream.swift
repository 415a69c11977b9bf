import Foundation
import Synchronization

/// The way of a response's body from the event loop to the task that iterates over it.
///
/// What has been appended and not been taken yet waits here, as much as it may be: the owner is told what was
/// taken, and pauses the transfer while too much waits. Members may be used from any thread.
final class ByteStream: Sendable {
    private let state = Mutex(State())
    private let whenTaken: @Sendable (Int) -> Void
    private let whenAbandoned: @Sendable () -> Void

    /// A stream with nothing in it.
    ///
    /// - Parameters:
    ///   - whenTaken: Called with the size of each piece that was taken, where its reader runs.
    ///   - whenAbandoned: Called when nobody wants the rest any more, at most once and only before the end: a
    ///     Swift task that reads was cancelled, or ``abandon()`` called.
    init(
        whenTaken: @escaping @Sendable (Int) -> Void,
        whenAbandoned: @escaping @Sendable () -> Void
    ) {
        self.whenTaken = whenTaken
        self.whenAbandoned = whenAbandoned
    }

    /// Appends a piece; nothing after the end.
    func append(_ data: Data) {
        guard !data.isEmpty else { return }
        let reader = state.withLock { $0.append(data) }
        reader?.resume(returning: .success(data))
    }

    /// Ends the stream behind what was appended, with an error or without; further calls do nothing.
    func finish(_ error: (any Error)?) {
        let readers = state.withLock { $0.finish(error) }
        resume(readers, error)
    }

    /// Drops what waits, as nobody wants it; reading it fails with `URLError.Code.cancelled` from now on.
    func abandon() {
        let error = URLError(.cancelled)
        guard let readers = state.withLock({ $0.abandon(error) }) else { return }
        whenAbandoned()
        resume(readers, error)
    }

    /// Takes the next piece; waits for it if there is none yet.
    ///
    /// When the Swift task that calls it is cancelled, the stream is abandoned. Should several call at once,
    /// each gets some of the pieces.
    ///
    /// - Returns: The piece; nil at the end and after an error.
    /// - Throws: The error that the stream has ended with, once.
    func next() async throws -> Data? {
        // Else a reader that never has to wait would not notice.
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

    /// What waits, of which either pieces or readers are empty.
    private struct State {
        private var pieces: [Data] = []
        /// How many of the pieces were taken.
        private var takenCount = 0
        private var readers: [Reader] = []
        private var hasEnded = false
        private var error: (any Error)?

        /// Keeps a piece, or says who gets it.
        mutating func append(_ data: Data) -> Reader? {
            guard !hasEnded else { return nil }
            guard readers.isEmpty else { return readers.removeFirst() }
            pieces.append(data)
            return nil
        }

        /// The next piece, or the end; nil when that has not come yet.
        mutating func take() -> Result? {
            if takenCount < pieces.count { return .success(takeFirst()) }
            guard hasEnded else { return nil }
            defer { error = nil }
            return error.map { .failure($0) } ?? .success(nil)
        }

        /// The next piece, or the end; the reader waits when that has not come yet.
        mutating func take(otherwise reader: Reader) -> Result? {
            if let result = take() { return result }
            readers.append(reader)
            return nil
        }

        /// Says who is to be told of the end.
        mutating func finish(_ error: (any Error)?) -> [Reader] {
            guard !hasEnded else { return [] }
            hasEnded = true
            defer { readers = [] }
            if readers.isEmpty { self.error = error }
            return readers
        }

        /// Says who is to be told of the end; nil when it has been before.
        mutating func abandon(_ error: any Error) -> [Reader]? {
            guard !hasEnded else { return nil }
            pieces = []
            takenCount = 0
            return finish(error)
        }

        /// Removing the first of many costs as much as there are, so that it is done for many at once.
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
