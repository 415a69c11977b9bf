extension Wire {
    /// What an event tells.
    package enum EventKind: String, Codable, CaseIterable, Sendable {
        /// The head of an answer arrived.
        case response
        /// The download goes on where an earlier attempt stopped.
        case resumed
        /// Bytes arrived; only the latest figure is told, at most ten times a second.
        case progress
        /// The file is there.
        case finished
        /// The task is over; nothing follows for it.
        case completed
        /// A server or a proxy wants to know something: ``AnswerChallenge`` answers.
        case challenged
        /// The date has come that the task was to begin at: ``Begin`` lets it, ``Cancel`` ends it.
        case delayed
        /// The server's answer says that the task's address is none any more: ``Relink`` answers.
        case expired
        /// All events of the past have been told; from here on they are told as they happen.
        case drained
        /// None of these: never told, but what a newer daemon tells is this to a reader.
        case other

        /// Reads a kind; one that this version does not know is ``other``.
        package init(from decoder: any Decoder) throws {
            let name = try decoder.singleValueContainer().decode(String.self)
            self = EventKind(rawValue: name) ?? .other
        }
    }
}
