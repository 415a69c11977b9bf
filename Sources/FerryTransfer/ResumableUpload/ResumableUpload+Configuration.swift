extension ResumableUpload {
    /// How an upload is carried out that can be continued.
    package struct Configuration: Sendable {
        /// The protocols that servers are spoken to in; `automatic` by default.
        package var protocols: Protocols
        /// What to do when a connection is cut; `isFailure` by default.
        package var interruptions: Interruptions
        /// What a response means that says that the server is unavailable (5xx); `deliver` by default.
        ///
        /// Only if the upload can be continued; it is the answer otherwise.
        package var unavailableResponses: Download.UnavailableResponses
        /// How each request is carried through to its answer.
        package var load: Load.Configuration

        /// Makes a configuration.
        package init(
            protocols: Protocols = .automatic,
            interruptions: Interruptions = .isFailure,
            unavailableResponses: Download.UnavailableResponses = .deliver,
            load: Load.Configuration = Load.Configuration()
        ) {
            self.protocols = protocols
            self.interruptions = interruptions
            self.unavailableResponses = unavailableResponses
            self.load = load
        }
    }

    /// The protocols that servers are spoken to in.
    package enum Protocols: Hashable, Sendable {
        /// What the server can do: the drafts are offered to each, tus is spoken where it was seen.
        case automatic
        /// Only the drafts.
        case drafts
        /// tus wherever a server can do it, and no other.
        case tus
        /// None: an upload is one request, and is not continued.
        case off

        var includesDrafts: Bool { self == .automatic || self == .drafts }
        var includesTus: Bool { self == .automatic || self == .tus }
    }

    /// What to do when a connection is cut.
    package enum Interruptions: Hashable, Sendable {
        /// The upload fails; its owner may continue it later.
        case isFailure
        /// It goes on by itself, unless nothing new has arrived at the server for as long as patience lasts;
        /// `nil` for ever.
        case goOn(RetryPolicy, patience: Duration?)
    }
}
