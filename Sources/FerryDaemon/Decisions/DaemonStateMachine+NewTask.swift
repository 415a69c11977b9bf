import FerryWire

extension DaemonStateMachine {
    /// What all calls that create a task say of it.
    struct NewTask {
        /// The session.
        var session: Int64
        /// The task's number in its session.
        var identifier: Int
        /// What to load, or where to send to.
        var request: Wire.Request
        /// The application's own words on it.
        var description: String?
        /// How important it is.
        var priority: Double
        /// Whether it may run at once.
        var isResumed: Bool
        /// Until when it does not begin.
        var earliestBegin: Wire.EarliestBegin?
        /// How it is carried out.
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
