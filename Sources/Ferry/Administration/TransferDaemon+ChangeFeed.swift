import FerryWire
import Synchronization

extension TransferDaemon {
    /// Collects the changes that the daemon reports until the caller reads them.
    final class ChangeFeed: Sendable {
        private struct State {
            var updated: [Transfer.ID: Transfer] = [:]
            var removed: Set<Transfer.ID> = []
            /// Whether a reply has arrived, even one without transfers.
            var hasNews = false
            /// Whether any reply has arrived.
            var hasReplied = false
            var client: VarlinkClient?
            var end: Result<Void, TransferDaemonError>?
            var waiting: CheckedContinuation<Void, Never>?
        }

        private let connection: AdministrationConnection
        private let ids: Set<Transfer.ID>?
        private let state = Mutex(State())

        init(_ connection: AdministrationConnection, _ ids: Set<Transfer.ID>?) {
            self.connection = connection
            self.ids = ids
        }

        /// The collected changes, element by element; the connection is opened for the first one.
        var stream: AsyncThrowingStream<Changes, any Error> {
            AsyncThrowingStream { try await self.next() }
        }

        private func next() async throws(TransferDaemonError) -> Changes? {
            do throws(TransferDaemonError) {
                if state.withLock({ $0.client == nil && $0.end == nil }) { try await open() }
            } catch let error where error.code == .cancelled {
                return nil
            }
            while true {
                if let result = take() { return try result.get() }
                await withTaskCancellationHandler {
                    await waitForNews()
                } onCancel: {
                    end(.success(()))
                }
            }
        }

        /// How often a daemon is tried that dies before it has reported anything.
        private static let greatestAttemptCount = 5

        private func open(attempt: Int = 1) async throws(TransferDaemonError) {
            let client = try await connection.makeClient { _ in }
            let hasEnded = state.withLock { state in
                state.client = client
                return state.end != nil
            }
            if hasEnded { return client.close() }
            let method = Wire.WatchTasks(ids: ids.map { $0.sorted().map(Int64.init) })
            // Weak, so that a stream that is no longer iterated closes its connection.
            client.stream(method) { [weak self] reply in
                switch reply {
                case .next(let reply): self?.add(reply)
                case .last(let reply):
                    self?.add(reply)
                    self?.end(.success(()))
                case .failure(let error): self?.failed(error, attempt: attempt)
                }
            }
        }

        /// Handles that the daemon reports no more; one that has reported nothing was about to end, and the next one is
        /// asked.
        private func failed(_ error: CallError, attempt: Int) {
            let isSilent = state.withLock { !$0.hasReplied && $0.end == nil }
            guard case .connectionClosed = error, isSilent, attempt < Self.greatestAttemptCount
            else { return end(.failure(TransferDaemonError(error))) }
            Task {
                do throws(TransferDaemonError) {
                    try await open(attempt: attempt + 1)
                } catch {
                    end(.failure(error))
                }
            }
        }

        /// Takes the collected changes, or the end of the stream; nil while there is neither.
        private func take() -> Result<Changes?, TransferDaemonError>? {
            state.withLock { state in
                guard state.hasNews else {
                    defer { if state.end != nil { state.end = .success(()) } }
                    return state.end.map { $0.map { nil } }
                }
                let changes = Changes(
                    updated: state.updated.values.sorted { $0.id < $1.id },
                    removed: state.removed.sorted()
                )
                state.updated = [:]
                state.removed = []
                state.hasNews = false
                return .success(changes)
            }
        }

        private func waitForNews() async {
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    if state.hasNews || state.end != nil { return true }
                    state.waiting = continuation
                    return false
                }
                if isThere { continuation.resume() }
            }
        }

        private func add(_ reply: Wire.WatchTasks.Reply) {
            wake { state in
                for task in reply.tasks {
                    let transfer = Transfer(task)
                    state.updated[transfer.id] = transfer
                    state.removed.remove(transfer.id)
                }
                for id in reply.removed {
                    state.updated[Transfer.ID(id)] = nil
                    state.removed.insert(Transfer.ID(id))
                }
                state.hasNews = true
                state.hasReplied = true
            }
        }

        private func end(_ result: Result<Void, TransferDaemonError>) {
            wake { state in
                state.end = state.end ?? result
                state.client?.close()
            }
        }

        private func wake(_ change: (inout State) -> Void) {
            let waiting = state.withLock { state in
                change(&state)
                defer { state.waiting = nil }
                return state.waiting
            }
            waiting?.resume()
        }
    }
}
