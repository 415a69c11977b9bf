extension TransferDaemon {
    /// The implementation behind a ``TransferDaemon``: the daemon itself, or a test.
    package struct Backend: Sendable {
        /// A stream of changes to transfers.
        package typealias ChangeStream = AsyncThrowingStream<Changes, any Error>

        /// One page of transfers: the query, the transfer after which it begins, its maximum length.
        package var page:
            @Sendable (Query, Transfer.ID?, Int?) async throws(TransferDaemonError) -> Page
        /// One transfer.
        package var transfer: @Sendable (Transfer.ID) async throws(TransferDaemonError) -> Transfer
        /// The changes of some or all transfers.
        package var changes: @Sendable (Set<Transfer.ID>?) -> ChangeStream
        /// Suspends a transfer.
        package var pause: @Sendable (Transfer.ID) async throws(TransferDaemonError) -> Void
        /// Resumes a transfer.
        package var resume: @Sendable (Transfer.ID) async throws(TransferDaemonError) -> Void
        /// Cancels a transfer.
        package var cancel: @Sendable (Transfer.ID) async throws(TransferDaemonError) -> Void
        /// Changes a transfer's address.
        package var relink:
            @Sendable (Transfer.ID, String) async throws(TransferDaemonError) -> Void
        /// Changes a transfer's priority.
        package var prioritize:
            @Sendable (Transfer.ID, Double) async throws(TransferDaemonError) -> Void
        /// Changes the rate limits of a transfer, or of all transfers together.
        package var limit: @Sendable (Transfer.ID?, Rates) async throws(TransferDaemonError) -> Void
        /// The applications that may be started again.
        package var hooks: @Sendable () async throws(TransferDaemonError) -> [Hook]
        /// Forgets how an application is started.
        package var removeHook: @Sendable (String) async throws(TransferDaemonError) -> Void
        /// Cancels all transfers of an application.
        package var quit: @Sendable (String) async throws(TransferDaemonError) -> Int
        /// The daemon's status; nil if it is not running.
        package var status: @Sendable () async throws(TransferDaemonError) -> Status?
        /// Stops the daemon; false if it was not running.
        package var stop: @Sendable () async throws(TransferDaemonError) -> Bool

        /// A backend made of closures.
        package init(
            page:
                @escaping @Sendable (Query, Transfer.ID?, Int?) async throws(TransferDaemonError) ->
                Page,
            transfer:
                @escaping @Sendable (Transfer.ID) async throws(TransferDaemonError) -> Transfer,
            changes: @escaping @Sendable (Set<Transfer.ID>?) -> ChangeStream,
            pause: @escaping @Sendable (Transfer.ID) async throws(TransferDaemonError) -> Void,
            resume: @escaping @Sendable (Transfer.ID) async throws(TransferDaemonError) -> Void,
            cancel: @escaping @Sendable (Transfer.ID) async throws(TransferDaemonError) -> Void,
            relink:
                @escaping @Sendable (Transfer.ID, String) async throws(TransferDaemonError) -> Void,
            prioritize:
                @escaping @Sendable (Transfer.ID, Double) async throws(TransferDaemonError) -> Void,
            limit:
                @escaping @Sendable (Transfer.ID?, Rates) async throws(TransferDaemonError) -> Void,
            hooks: @escaping @Sendable () async throws(TransferDaemonError) -> [Hook],
            removeHook: @escaping @Sendable (String) async throws(TransferDaemonError) -> Void,
            quit: @escaping @Sendable (String) async throws(TransferDaemonError) -> Int,
            status: @escaping @Sendable () async throws(TransferDaemonError) -> Status?,
            stop: @escaping @Sendable () async throws(TransferDaemonError) -> Bool
        ) {
            self.page = page
            self.transfer = transfer
            self.changes = changes
            self.pause = pause
            self.resume = resume
            self.cancel = cancel
            self.relink = relink
            self.prioritize = prioritize
            self.limit = limit
            self.hooks = hooks
            self.removeHook = removeHook
            self.quit = quit
            self.status = status
            self.stop = stop
        }
    }
}
