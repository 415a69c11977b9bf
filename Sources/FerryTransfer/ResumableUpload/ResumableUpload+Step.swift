extension ResumableUpload {
    /// One of the requests that an upload is made of.
    enum Step: Hashable {
        /// The app's request with the whole body, which may offer to be continued.
        case upload(offering: UploadProtocol?)
        /// The question whether the server speaks tus.
        case discover
        /// The creation of a tus resource, with the whole body if that is short.
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
        /// Where it ends; `nil` if it ends with the body, whose length is not known yet.
        var end: Int64?
        /// Whether the upload is complete with it.
        var isLast: Bool
        /// The checksum of its bytes.
        var checksum: String?

        var byteCount: Int64? { end.map { $0 - start } }
    }

    /// The request that is sent for a step.
    struct Dispatch: Hashable {
        /// The request's body.
        enum Body: Hashable {
            case none
            case whole
            case part(Part)
        }

        var request: TransferRequest
        var body: Body
        /// Whether it continues from what the server has, so that the whole body must be unchanged.
        var checksBody = false
    }

    /// Who decides about a redirect.
    enum Redirection: Hashable {
        /// The app, which is offered this request.
        case offer(TransferRequest)
        /// The protocol, which wants it followed.
        case follow
        /// The protocol, for which the response is final.
        case isAnswer
    }

    /// The time, by the continuous clock and as a date.
    struct Moment {
        var instant: ContinuousClock.Instant
        var date: HTTPDate
    }
}
