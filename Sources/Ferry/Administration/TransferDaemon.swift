import FerryWire
public import Foundation

/// The transfer daemon of the user who runs this program, for programs that administer it.
///
/// An app that downloads needs ``URLSession`` only. This type is for lists, monitors and commands:
/// it sees the background transfers of all applications of the user, whichever program started them.
/// The `ferry` command uses it, and background sessions for `ferry get`.
///
/// ```swift
/// let daemon = TransferDaemon()
/// for try await transfer in daemon.transfers() {
///     print(transfer.id, transfer.state, transfer.receivedByteCount)
/// }
/// ```
///
/// The daemon answers each call after its effect is durable, and performs calls in the order in which they are
/// made. Creating a value costs nothing: the first call opens the connection, and all copies of the value share it.
public struct TransferDaemon: Sendable {
    let backend: any Backend

    /// The daemon of the current user.
    ///
    /// - Parameter startsIfNeeded: Whether a call starts the daemon if it is not running. Default: true, because
    ///   waiting transfers are on disk, and only a running daemon can list them. With false, calls throw
    ///   ``TransferDaemonError/Code/notRunning`` instead.
    public init(startsIfNeeded: Bool = true) {
        self.init(backend: AdministrationConnection(startsIfNeeded: startsIfNeeded))
    }

    /// The daemon of the current user, for a program whose user watches it.
    ///
    /// - Parameters:
    ///   - startsIfNeeded: Whether a call starts the daemon if it is not running.
    ///   - reportingSilence: Called once on any thread, with words for people, when a call has had no answer for 5 seconds.
    package init(
        startsIfNeeded: Bool = true,
        reportingSilence: @escaping @Sendable (String) -> Void
    ) {
        let policy = WaitPolicy(report: reportingSilence)
        self.init(
            backend: AdministrationConnection(startsIfNeeded: startsIfNeeded, policy: policy)
        )
    }

    /// A daemon behind another backend, for tests of programs that administer it.
    package init(backend: any Backend) {
        self.backend = backend
    }
}

// MARK: - Transfers

extension TransferDaemon {
    /// The transfers that match a query, oldest first.
    ///
    /// They are fetched in pages during iteration, so that a queue of a hundred thousand transfers takes no more
    /// memory than one page. A transfer that ends in the meantime may be missing.
    ///
    /// - Parameter query: Which transfers; all of them by default.
    /// - Returns: A sequence that throws ``TransferDaemonError``.
    public func transfers(matching query: Query = Query()) -> Transfers {
        Transfers(daemon: self, query: query)
    }

    /// One page of the transfers that match a query, oldest first.
    ///
    /// - Parameters:
    ///   - query: Which transfers; all of them by default.
    ///   - last: The transfer after which the page begins; nil for the first page.
    ///   - limit: The maximum number of transfers in the page; nil for the daemon's default.
    /// - Returns: The page, and where the next one begins.
    /// - Throws: ``TransferDaemonError`` when the daemon cannot be reached or refuses.
    public func page(
        of query: Query = Query(),
        after last: Transfer.ID? = nil,
        limit: Int? = nil
    ) async throws(TransferDaemonError) -> Page {
        let page = try await encodedPage(of: query, after: last, limit: limit)
        return Page(transfers: try page.transfers(), next: page.next)
    }

    /// One page of the transfers that match a query, to be decoded by the caller.
    ///
    /// - Parameters:
    ///   - query: Which transfers; all of them by default.
    ///   - last: The transfer after which the page begins; nil for the first page.
    ///   - limit: The maximum number of transfers in the page; nil for the daemon's default.
    /// - Returns: The page, and where the next one begins.
    /// - Throws: ``TransferDaemonError`` when the daemon cannot be reached or refuses.
    package func encodedPage(
        of query: Query = Query(),
        after last: Transfer.ID? = nil,
        limit: Int? = nil
    ) async throws(TransferDaemonError) -> EncodedPage<Transfer> {
        try await backend.page(query, after: last, limit: limit)
    }

    /// One page of summaries of all transfers, to be decoded by the caller.
    ///
    /// - Parameters:
    ///   - last: The transfer after which the page begins; nil for the first page.
    ///   - limit: The maximum number of transfers in the page.
    /// - Returns: The page, and where the next one begins.
    /// - Throws: ``TransferDaemonError`` when the daemon cannot be reached or refuses.
    package func summaries(
        after last: Transfer.ID?,
        limit: Int
    ) async throws(TransferDaemonError) -> EncodedPage<Summary> {
        try await backend.summaries(after: last, limit: limit)
    }

    /// One transfer.
    ///
    /// - Parameter id: The transfer's number.
    /// - Returns: The transfer as it is now.
    /// - Throws: ``TransferDaemonError/Code/transferNotFound`` when there is none, or it has ended and
    ///   its application has been notified; see ``endedTransfers(matching:limit:)`` for those.
    public func transfer(_ id: Transfer.ID) async throws(TransferDaemonError) -> Transfer {
        try await backend.transfer(id)
    }

    /// Transfers that have ended and whose end their applications have acknowledged, the one that ended last first.
    ///
    /// ferryd remembers the last 1 000 of them, also when it is started again, or as many as `history` and `history-days` in
    /// ferry.conf say.
    ///
    /// - Parameters:
    ///   - query: Which transfers; all of them by default.
    ///   - limit: The maximum number of transfers; nil for all that are remembered.
    /// - Returns: The transfers.
    /// - Throws: ``TransferDaemonError`` when the daemon cannot be reached or refuses;
    ///   ``TransferDaemonError/Code/unexpectedReply`` when it is older than this call.
    public func endedTransfers(
        matching query: EndedQuery = EndedQuery(),
        limit: Int? = nil
    ) async throws(TransferDaemonError) -> [EndedTransfer] {
        try await backend.endedTransfers(query, limit: limit)
    }

    /// Returns a stream of changes to transfers.
    ///
    /// The first element holds all of the transfers in their current state; each later element holds those that have
    /// changed since. The daemon sends at most ten elements a second. If they are read more slowly, changes are merged
    /// into one element: nothing is lost, and memory use does not grow. The stream ends when the daemon stops, by
    /// throwing ``TransferDaemonError/Code/disconnected``, or when the task that iterates it is cancelled.
    ///
    /// - Parameter ids: The transfers to follow; nil for all, including those that are created later.
    /// - Returns: A stream that throws ``TransferDaemonError``.
    public func changes(
        of ids: Set<Transfer.ID>? = nil
    ) -> AsyncThrowingStream<Changes, any Error> {
        backend.changes(of: ids)
    }

    /// Suspends a transfer on the user's behalf.
    ///
    /// It keeps its bytes and waits, with the reason ``Transfer/Wait/Reason/paused``, until
    /// ``resume(_:ignoringConditions:)``. Does nothing if it is already paused.
    ///
    /// - Parameter id: The transfer's number.
    /// - Throws: ``TransferDaemonError/Code/transferNotFound`` when there is none.
    public func pause(_ id: Transfer.ID) async throws(TransferDaemonError) {
        try await backend.pause(id)
    }

    /// Resumes a transfer that was suspended by ``pause(_:)``; one that waits after a failure is retried at once.
    ///
    /// - Parameters:
    ///   - id: The transfer's number.
    ///   - ignoresConditions: Whether the transfer runs from now on whatever ``TransferOptions/avoidedConditions`` and its
    ///     session say. Default: false.
    /// - Throws: ``TransferDaemonError/Code/transferNotFound`` when there is none.
    public func resume(
        _ id: Transfer.ID,
        ignoringConditions ignoresConditions: Bool = false
    ) async throws(TransferDaemonError) {
        try await backend.resume(id, ignoringConditions: ignoresConditions)
    }

    /// Cancels a transfer.
    ///
    /// Its application receives `didCompleteWithError` with `URLError.Code.cancelled` when it next asks for events. A
    /// transfer that has already ended is removed with its file if its application is not running to acknowledge it.
    ///
    /// - Parameter id: The transfer's number.
    /// - Throws: ``TransferDaemonError/Code/transferNotFound`` when there is none.
    public func cancel(_ id: Transfer.ID) async throws(TransferDaemonError) {
        try await backend.cancel(id)
    }
}

// MARK: - How transfers are carried out

extension TransferDaemon {
    /// Gives a transfer another address for the same resource.
    ///
    /// Its bytes are kept if the new address serves the same content, judged by the last 64 KiB of them and the total
    /// length. Header fields that may be secret are not sent to another origin. A transfer that waits for its next
    /// attempt begins it at once.
    ///
    /// - Parameters:
    ///   - id: The transfer's number.
    ///   - url: An HTTP or HTTPS address.
    /// - Throws: ``TransferDaemonError/Code/transferNotFound`` when there is no such transfer, and
    ///   ``TransferDaemonError/Code/invalidRequest`` for another kind of address.
    public func relink(_ id: Transfer.ID, to url: URL) async throws(TransferDaemonError) {
        try await backend.relink(id, to: url.absoluteString)
    }

    /// Changes a transfer's priority.
    ///
    /// - Parameters:
    ///   - priority: From 0 to 1; values outside this range are clamped.
    ///   - id: The transfer's number.
    /// - Throws: ``TransferDaemonError/Code/transferNotFound`` when there is none.
    public func setPriority(
        _ priority: Float,
        of id: Transfer.ID
    ) async throws(TransferDaemonError) {
        try await backend.setPriority(Double(priority), of: id)
    }

    /// Changes how fast a transfer may receive and send, starting now.
    ///
    /// - Parameters:
    ///   - rates: The new limits, which replace the current ones.
    ///   - id: The transfer's number.
    /// - Throws: ``TransferDaemonError/Code/transferNotFound`` when there is none.
    public func setRates(
        _ rates: Rates,
        of id: Transfer.ID
    ) async throws(TransferDaemonError) {
        try await backend.setRates(rates, of: id)
    }

    /// Changes how fast all transfers together may receive and send, starting now.
    ///
    /// The limits stay in effect until they are changed again, even if the daemon is restarted. Transfers share them by
    /// priority: a priority of 1 gets four times as much as the default of 0.5, and 0 gets a quarter.
    ///
    /// - Parameter rates: The new limits, which replace the current ones.
    /// - Throws: ``TransferDaemonError`` when the daemon cannot be reached or refuses.
    public func setRates(_ rates: Rates) async throws(TransferDaemonError) {
        try await backend.setRates(rates, of: nil)
    }
}

// MARK: - Applications

extension TransferDaemon {
    /// The applications that the daemon may start again, and how it does.
    ///
    /// - Returns: One hook per application.
    /// - Throws: ``TransferDaemonError`` when the daemon cannot be reached or refuses.
    public func hooks() async throws(TransferDaemonError) -> [Hook] {
        try await backend.hooks()
    }

    /// Forgets how an application is started.
    ///
    /// Its transfers continue; their events wait until the application opens its session itself.
    ///
    /// - Parameter application: The application's identifier.
    /// - Throws: ``TransferDaemonError/Code/applicationNotFound`` when the daemon does not know it.
    public func removeHook(ofApplication application: String) async throws(TransferDaemonError) {
        try await backend.removeHook(of: application)
    }

    /// Cancels an application's transfers, as a user's force quit does on Apple's systems.
    ///
    /// All of its background transfers are cancelled, and the daemon does not start it again until something else has
    /// started it. When it next creates its sessions, their delegates receive `didCompleteWithError` with
    /// `URLError.Code.cancelled` and the reason `userForceQuitApplication`. A process of the application that is still
    /// running is not ended.
    ///
    /// - Parameter application: The application's identifier.
    /// - Returns: The number of transfers that were cancelled.
    /// - Throws: ``TransferDaemonError/Code/applicationNotFound`` when the daemon does not know it.
    @discardableResult
    public func quit(application: String) async throws(TransferDaemonError) -> Int {
        try await backend.quit(application)
    }
}

// MARK: - The daemon itself

extension TransferDaemon {
    /// Returns the daemon's status; never starts the daemon.
    ///
    /// - Returns: nil when it is not running.
    /// - Throws: ``TransferDaemonError`` when it is running and cannot be reached or refuses, or has not answered for
    ///   10 seconds.
    public func status() async throws(TransferDaemonError) -> Status? {
        try await backend.status()
    }

    /// Stops the daemon and waits until it has saved the work in progress and has ended; never starts it.
    ///
    /// Transfers are on disk, and continue where they were when the daemon is started again by the next program or call
    /// that needs it.
    ///
    /// - Returns: false when it was not running.
    /// - Throws: ``TransferDaemonError`` when it is running and cannot be reached or refuses, or has not answered for
    ///   10 seconds.
    @discardableResult
    public func stop() async throws(TransferDaemonError) -> Bool {
        try await backend.stop()
    }
}

extension TransferDaemon {
    /// Limits on the number of bytes that are received and sent per second.
    public struct Rates: Hashable, Sendable {
        /// The number of bytes that may be received; nil for no limit.
        public var receive: Int64?
        /// The number of bytes that may be sent; nil for no limit.
        public var send: Int64?

        /// Creates rates.
        ///
        /// - Parameters:
        ///   - receive: The number of bytes that may be received per second, 1 or more; nil for no limit.
        ///   - send: The number of bytes that may be sent per second, 1 or more; nil for no limit.
        public init(receive: Int64? = nil, send: Int64? = nil) {
            self.receive = receive
            self.send = send
        }

        /// Reads a rate as people write it, such as `500k`; nil if it is none.
        package static func bytesPerSecond(_ text: String) -> Int64? { ByteRate.parse(text) }
    }
}
