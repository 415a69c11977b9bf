public import Foundation

/// The transfer daemon of the user who runs this program, for programs that administer it.
///
/// An app that downloads needs ``URLSession`` only. This type is for lists, monitors and commands:
/// it sees the background transfers of all applications of the user, whichever program started them.
/// The `ferry` command uses nothing else.
///
/// ```swift
/// let daemon = TransferDaemon()
/// for try await transfer in daemon.transfers() {
///     print(transfer.id, transfer.state, transfer.receivedByteCount)
/// }
/// ```
///
/// Each call is answered by the daemon after its effect is durable. Calls made one after the other
/// are performed in that order. A value costs nothing to make; the connection is opened by the first
/// call and shared by all copies of the value.
public struct TransferDaemon: Sendable {
    let backend: Backend

    /// The daemon of the current user.
    ///
    /// - Parameter startsIfNeeded: Whether a call starts the daemon when it is not running. Default:
    ///   true, as waiting transfers are on disk, and only a running daemon can tell of them. With
    ///   false, calls throw ``TransferDaemonError/Code/notRunning`` instead.
    public init(startsIfNeeded: Bool = true) {
        self.init(backend: .live(startsIfNeeded: startsIfNeeded))
    }

    /// A daemon that is played by closures, for tests of programs that administer it.
    package init(backend: Backend) {
        self.backend = backend
    }
}

// MARK: - Transfers

extension TransferDaemon {
    /// The transfers that match a query, oldest first.
    ///
    /// They are fetched in pages while the sequence is iterated, so that a queue of a hundred thousand
    /// transfers costs no more memory than one page. A transfer that ends meanwhile may be missing.
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
    ///   - limit: How many transfers the page holds at most; nil for the daemon's own choice.
    /// - Returns: The page, and where the next one begins.
    /// - Throws: ``TransferDaemonError`` when the daemon cannot be reached or refuses.
    public func page(
        of query: Query = Query(),
        after last: Transfer.ID? = nil,
        limit: Int? = nil
    ) async throws(TransferDaemonError) -> Page {
        try await backend.page(query, last, limit)
    }

    /// One transfer.
    ///
    /// - Parameter id: The transfer's number.
    /// - Returns: The transfer as it is now.
    /// - Throws: ``TransferDaemonError/Code/transferNotFound`` when there is none, or it has ended and
    ///   its application has been told so.
    public func transfer(_ id: Transfer.ID) async throws(TransferDaemonError) -> Transfer {
        try await backend.transfer(id)
    }

    /// Follows transfers while they change.
    ///
    /// The first element holds all of the transfers as they are now, each later one those that have
    /// changed since. The daemon sends at most ten a second. If they are taken more slowly, the changes
    /// gather into one element, so nothing is lost and no memory is used up. The stream ends when the
    /// daemon stops, by throwing ``TransferDaemonError/Code/disconnected``, or when the task that
    /// iterates it is cancelled.
    ///
    /// - Parameter ids: The transfers to follow; nil for all, also those that are created later.
    /// - Returns: A stream that throws ``TransferDaemonError``.
    public func changes(
        of ids: Set<Transfer.ID>? = nil
    ) -> AsyncThrowingStream<Changes, any Error> {
        backend.changes(ids)
    }

    /// Suspends a transfer on the user's behalf.
    ///
    /// It keeps its bytes and waits, with the reason ``Transfer/Wait/Reason/paused``, until
    /// ``resume(_:)``. Does nothing when it is paused already.
    ///
    /// - Parameter id: The transfer's number.
    /// - Throws: ``TransferDaemonError/Code/transferNotFound`` when there is none.
    public func pause(_ id: Transfer.ID) async throws(TransferDaemonError) {
        try await backend.pause(id)
    }

    /// Lets a transfer go on that was suspended, by ``pause(_:)`` or by its own application.
    ///
    /// - Parameter id: The transfer's number.
    /// - Throws: ``TransferDaemonError/Code/transferNotFound`` when there is none.
    public func resume(_ id: Transfer.ID) async throws(TransferDaemonError) {
        try await backend.resume(id)
    }

    /// Cancels a transfer.
    ///
    /// Its application gets `didCompleteWithError` with `URLError.Code.cancelled`, when it asks next. A transfer that is
    /// over, and whose application is not there to take note of it, is forgotten with its file.
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
    /// Its bytes are kept if the answer from there proves to be the same: by the last 64 KiB of them and the
    /// length of the whole. Header fields that may be secret are left out where the address is another
    /// origin's. A transfer that waits for its next attempt begins it at once.
    ///
    /// - Parameters:
    ///   - id: The transfer's number.
    ///   - url: An HTTP or HTTPS address.
    /// - Throws: ``TransferDaemonError/Code/transferNotFound`` when there is no such transfer, and
    ///   ``TransferDaemonError/Code/invalidRequest`` for another kind of address.
    public func relink(_ id: Transfer.ID, to url: URL) async throws(TransferDaemonError) {
        try await backend.relink(id, url.absoluteString)
    }

    /// Changes a transfer's weight among others.
    ///
    /// - Parameters:
    ///   - priority: From 0 to 1; values outside are brought inside.
    ///   - id: The transfer's number.
    /// - Throws: ``TransferDaemonError/Code/transferNotFound`` when there is none.
    public func setPriority(
        _ priority: Float,
        of id: Transfer.ID
    ) async throws(TransferDaemonError) {
        try await backend.prioritize(id, Double(priority))
    }

    /// Changes how fast a transfer may load and send, from now on.
    ///
    /// - Parameters:
    ///   - rates: The limits, in place of those that it has.
    ///   - id: The transfer's number.
    /// - Throws: ``TransferDaemonError/Code/transferNotFound`` when there is none.
    public func setRates(
        _ rates: Rates,
        of id: Transfer.ID
    ) async throws(TransferDaemonError) {
        try await backend.limit(id, rates)
    }

    /// Changes how fast all transfers together may load and send, from now on.
    ///
    /// It holds until it is changed again, also for a daemon that is started later. What the transfers get of it
    /// follows from their priorities: with 1, four times as much as with the default of 0.5, with 0 a quarter.
    ///
    /// - Parameter rates: The limits, in place of those that there are.
    /// - Throws: ``TransferDaemonError`` when the daemon cannot be reached or refuses.
    public func setRates(_ rates: Rates) async throws(TransferDaemonError) {
        try await backend.limit(nil, rates)
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
    /// Its transfers go on; their events wait until the application opens its session itself.
    ///
    /// - Parameter application: The application's identifier.
    /// - Throws: ``TransferDaemonError/Code/applicationNotFound`` when the daemon does not know it.
    public func removeHook(ofApplication application: String) async throws(TransferDaemonError) {
        try await backend.removeHook(application)
    }

    /// Does to an application what a user's force quit does on Apple's systems.
    ///
    /// All of its background transfers are cancelled, and it is not started again until it has been
    /// started by someone else. When it makes its sessions next, their delegates get
    /// `didCompleteWithError` with `URLError.Code.cancelled` and the reason
    /// `userForceQuitApplication`. A process of the application that is still running is left alone.
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
    /// How the daemon is doing; never starts it.
    ///
    /// - Returns: nil when it is not running.
    /// - Throws: ``TransferDaemonError`` when it is running and cannot be reached or refuses.
    public func status() async throws(TransferDaemonError) -> Status? {
        try await backend.status()
    }

    /// Stops the daemon, when it has put down what is under way; never starts it.
    ///
    /// Transfers are on disk and go on where they were, when the daemon is started again: by the next
    /// program that needs it, or by this method's counterpart, any other call.
    ///
    /// - Returns: false when it was not running.
    /// - Throws: ``TransferDaemonError`` when it is running and cannot be reached or refuses.
    @discardableResult
    public func stop() async throws(TransferDaemonError) -> Bool {
        try await backend.stop()
    }
}

extension TransferDaemon {
    /// How many bytes may arrive and leave per second.
    public struct Rates: Hashable, Sendable {
        /// How many may arrive; nil for as many as can.
        public var receive: Int64?
        /// How many may leave; nil for as many as can.
        public var send: Int64?

        /// Makes rates.
        ///
        /// - Parameters:
        ///   - receive: How many bytes may arrive per second, 1 or more; nil for as many as can.
        ///   - send: How many bytes may leave per second, 1 or more; nil for as many as can.
        public init(receive: Int64? = nil, send: Int64? = nil) {
            self.receive = receive
            self.send = send
        }
    }
}
