extension Wire {
    /// Changes until when a task does not begin.
    ///
    /// Nothing happens to one that has begun.
    package struct SetEarliestBegin: TransferMethod {
        /// What ``SetEarliestBegin`` is answered with: nothing but that it was done.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "SetEarliestBegin"

        /// The open session's number.
        package var session: Int64
        /// The task's number in its session.
        package var identifier: Int
        /// The date; nothing lets it begin at once.
        package var earliestBegin: EarliestBegin?

        /// Creates a call.
        package init(
            session: Int64,
            identifier: Int,
            earliestBegin: EarliestBegin? = nil
        ) {
            self.session = session
            self.identifier = identifier
            self.earliestBegin = earliestBegin
        }
    }
}
