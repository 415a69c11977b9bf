extension Wire {
    /// Why a task waits.
    package enum WaitReason: String, Codable, CaseIterable, Sendable {
        /// A person paused it.
        case paused
        /// Its host has as many transfers as it may have.
        case hostLimit
        /// The daemon has as many transfers as it may have.
        case connectionLimit
        /// The last attempt failed; the next one comes later.
        case backoff
        /// Its application wants it to begin later.
        case earliestBegin
        /// Its application has to decide something first.
        case application
        /// No route leads from this machine to any other.
        case network
        /// The disk, or the user's share of it, is full.
        case diskSpace
        /// Its host has failed time and again, and is asked by one transfer only.
        case hostFailure
        /// It brought next to nothing, and has left its place to others.
        case fairShare
        /// It is about to start.
        case starting
        /// None of these; the detail says what.
        case other

        /// Reads a reason; one that a newer daemon has and this version does not is ``other``.
        package init(from decoder: any Decoder) throws {
            let name = try decoder.singleValueContainer().decode(String.self)
            self = WaitReason(rawValue: name) ?? .other
        }
    }
}
