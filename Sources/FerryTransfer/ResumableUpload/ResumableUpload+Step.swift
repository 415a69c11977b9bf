extension ResumableUpload {
    /// One of the requests that an upload is made of.
    enum Step: Hashable {
        /// The app's own request with the whole body, which may offer to be continued.
        case upload(offering: UploadProtocol?)
        /// The question whether the server speaks tus.
        case discover
        /// The making of a resource of tus, with the whole body where that is short.
        case create(TusCapabilities)
        /// The question how far the upload has come.
        case locate
        /// The rest of the body, or as much of it as the server takes at once.
        case append(Part)
    }

    /// A part of the body.
    struct Part: Hashable {
        /// Where it begins.
        var start: Int64
        /// Where it ends; `nil` when that is where the body does, which nobody knows yet.
        var end: Int64?
        /// Whether the upload is complete with it.
        var isLast: Bool
        /// What makes sure of its bytes.
        var checksum: String?

        var byteCount: Int64? { end.map { $0 - start } }
    }

    /// What goes out for a step.
    struct Dispatch: Hashable {
        /// The request's body.
        enum Body: Hashable {
            case none
            case whole
            case part(Part)
        }

        var request: TransferRequest
        var body: Body
    }

    /// Who decides about a redirect.
    enum Redirection: Hashable {
        /// The app, which is offered this request.
        case offer(TransferRequest)
        /// The protocol, which wants it followed.
        case follow
        /// The protocol, for which the response is the answer to the request.
        case isAnswer
    }

    /// The time, by the clock that measures and by the one that dates.
    struct Moment {
        var instant: ContinuousClock.Instant
        var date: HTTPDate
    }
}
