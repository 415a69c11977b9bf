extension TransferDaemon {
    /// A stream of changes to transfers.
    package typealias ChangeStream = AsyncThrowingStream<Changes, any Error>

    /// What is behind a ``TransferDaemon``: the daemon itself, or a test.
    package protocol Backend: Sendable {
        /// Returns one page of transfers, which is not decoded yet.
        func page(
            _ query: Query,
            after last: Transfer.ID?,
            limit: Int?
        ) async throws(TransferDaemonError) -> EncodedPage<Transfer>
        /// Returns one page of summaries, which is not decoded yet.
        func summaries(
            after last: Transfer.ID?,
            limit: Int
        ) async throws(TransferDaemonError) -> EncodedPage<Summary>
        /// Returns a transfer.
        func transfer(_ id: Transfer.ID) async throws(TransferDaemonError) -> Transfer
        /// Returns the transfers that have ended, the last one first.
        func endedTransfers(
            _ query: EndedQuery,
            limit: Int?
        ) async throws(TransferDaemonError) -> [EndedTransfer]
        /// Returns the changes of some or all transfers.
        func changes(of ids: Set<Transfer.ID>?) -> ChangeStream
        /// Suspends a transfer.
        func pause(_ id: Transfer.ID) async throws(TransferDaemonError)
        /// Resumes a transfer.
        func resume(
            _ id: Transfer.ID,
            ignoringConditions: Bool
        ) async throws(TransferDaemonError)
        /// Cancels a transfer.
        func cancel(_ id: Transfer.ID) async throws(TransferDaemonError)
        /// Changes a transfer's address.
        func relink(_ id: Transfer.ID, to url: String) async throws(TransferDaemonError)
        /// Changes a transfer's priority.
        func setPriority(
            _ priority: Double,
            of id: Transfer.ID
        ) async throws(TransferDaemonError)
        /// Changes the rate limits of a transfer, or of all transfers together.
        func setRates(_ rates: Rates, of id: Transfer.ID?) async throws(TransferDaemonError)
        /// Returns the user's timetable.
        func timetable() async throws(TransferDaemonError) -> Timetable
        /// Adds a rule to the user's timetable, or removes one; returns the timetable as it is then.
        func changeTimetable(
            adding rule: String?,
            removing oldRule: String?
        ) async throws(TransferDaemonError) -> Timetable
        /// Returns the daemon's settings.
        func settings() async throws(TransferDaemonError) -> Settings
        /// Has the daemon read its settings again, and returns them; nil if it is not running.
        func reload() async throws(TransferDaemonError) -> Settings?
        /// Returns the applications that may be started again.
        func hooks() async throws(TransferDaemonError) -> [Hook]
        /// Forgets how an application is started.
        func removeHook(of application: String) async throws(TransferDaemonError)
        /// Cancels all transfers of an application, and returns their number.
        func quit(_ application: String) async throws(TransferDaemonError) -> Int
        /// Returns the daemon's status; nil if it is not running.
        func status() async throws(TransferDaemonError) -> Status?
        /// Stops the daemon, and returns whether it was running.
        func stop() async throws(TransferDaemonError) -> Bool
    }
}
