package import FerryHTTP
package import FerrySystem

extension ResumableUpload {
    /// The body of an upload.
    @LoopActor
    package struct Body {
        /// The source of the body; `nil` if the decider provides it each time.
        let source: (any HTTPBodySource)?
        /// The number of bytes, if known.
        let byteCount: Int64?
        /// Whether any part of it can be read any number of times.
        let isRepeatable: Bool
        /// The name of the file for a tus server.
        let name: String
        private let check: Check

        /// Finds out why a body is not what it was when the upload began, and reports it, possibly later; `nil`
        /// if it is unchanged.
        package typealias Check =
            @LoopActor (_ handler: @escaping @LoopActor (TransferError?) -> Void) -> Void

        /// A body that can be read again, or at least once.
        ///
        /// - Parameters:
        ///   - source: The source of the body.
        ///   - isRepeatable: Whether any part of it can be read any number of times.
        ///   - name: The name of the file for a tus server, if the app does not set one.
        ///   - check: Whether it is what it was when the upload began.
        package init(
            _ source: any HTTPBodySource,
            isRepeatable: Bool = true,
            name: String = Self.namelessName,
            check: @escaping Check = { $0(nil) }
        ) {
            self.source = source
            byteCount = source.byteCount
            self.isRepeatable = isRepeatable
            self.name = name
            self.check = check
        }

        /// A body that the decider provides.
        ///
        /// - Parameter byteCount: The number of bytes, if known.
        package init(onDemand byteCount: Int64?) {
            source = nil
            self.byteCount = byteCount
            isRepeatable = false
            name = Self.namelessName
            check = { $0(nil) }
        }

        /// The name of a body without one: some tus servers require a name.
        package nonisolated static let namelessName = "upload"

        /// Finds out why no part of the body can be sent, if so; for a file this may take time.
        func findFailure(then handler: @escaping @LoopActor (TransferError?) -> Void) {
            check(handler)
        }
    }
}

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
        case proceed(RetryPolicy, timeout: Duration?)
    }
}
