extension ResumableUpload {
    /// How an upload that can be continued is carried out.
    package struct Configuration: Sendable {
        /// The protocols to use; `automatic` by default.
        package var protocols: Protocols
        /// What to do when a connection is interrupted; `isFailure` by default.
        package var interruptions: Interruptions
        /// How to treat a response that says that the server is unavailable (5xx); `deliver` by default.
        ///
        /// Only if the upload can be continued; otherwise the response is delivered.
        package var unavailableResponses: Download.UnavailableResponses
        /// The configuration of each request's load.
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

    /// The protocols to use.
    package enum Protocols: Hashable, Sendable {
        /// Whatever the server supports: each is offered the drafts, and tus is used where it was seen.
        case automatic
        /// Only the drafts.
        case drafts
        /// tus wherever a server supports it, and nothing else.
        case tus
        /// None: an upload is one request, and is not continued.
        case off

        var includesDrafts: Bool { self == .automatic || self == .drafts }
        var includesTus: Bool { self == .automatic || self == .tus }
    }

    /// What to do when a connection is interrupted.
    package enum Interruptions: Hashable, Sendable {
        /// The upload fails; its owner may continue it later.
        case isFailure
        /// The upload continues by itself, unless nothing new arrives at the server for this time; `nil` for no
        /// limit.
        case goOn(RetryPolicy, patience: Duration?)
    }
}
