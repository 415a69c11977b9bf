import FerryWire

extension DaemonStateMachine {
    /// The properties that all calls for creating a task have in common.
    struct NewTask {
        /// The session.
        var session: Int64
        /// The task's number in its session.
        var identifier: Int
        /// The request.
        var request: Wire.Request
        /// The application's description of it.
        var description: String?
        /// The priority.
        var priority: Double
        /// Whether it may run at once.
        var isResumed: Bool
        /// The earliest begin date.
        var earliestBegin: Wire.EarliestBegin?
        /// The options.
        var options: Wire.TransferOptions?

        init(_ create: Wire.CreateDownload) {
            session = create.session
            identifier = create.identifier
            request = create.request
            description = create.description
            priority = create.priority
            isResumed = create.resumed ?? false
            earliestBegin = create.earliestBegin
            options = create.options
        }

        init(_ create: Wire.CreateUpload) {
            session = create.session
            identifier = create.identifier
            request = create.request
            // It is not sent, and may be large.
            request.body = nil
            description = create.description
            priority = create.priority
            isResumed = create.resumed ?? false
            earliestBegin = create.earliestBegin
            options = create.options
        }
    }
}
