import FerryHTTP

extension ResumableUpload {
    /// What a response means for the upload.
    enum Meaning {
        /// It is the answer to the app's request.
        case answer
        /// Something follows it.
        case sequel(Sequel)
        /// The upload fails.
        case failure(TransferError, keepsResource: Bool = true)
    }

    /// What follows a response that is not final.
    enum Sequel: Hashable {
        case send(Step)
        /// Ask again what the server has, after this failure.
        case proceed(after: TransferError)
    }
}

extension ResumableUpload.Meaning {
    /// The server cannot continue now.
    static func unavailable(_ head: HTTPResponseHead, at now: ResumableUpload.Moment) -> Self {
        let error = TransferError(
            code: .serverUnavailable,
            message: "the server answers \(head.status) to a part of the upload",
            retryAfter: RetryAfter(head: head, now: now.date)?.seconds,
            failingURL: head.url
        )
        return .sequel(.proceed(after: error))
    }

    /// The server has reported an impossible offset.
    static func contradiction(_ offset: Int64) -> Self {
        let error = TransferError(
            code: .badServerResponse,
            message: "the server claims to have \(offset) bytes, which it cannot"
        )
        return .failure(error, keepsResource: false)
    }

    /// The server does not continue where it says that it does.
    static func misplacement(_ offset: Int64) -> Self {
        .badResponse("the server does not continue the upload at \(offset)")
    }

    static func badResponse(_ message: String) -> Self {
        .failure(TransferError(code: .badServerResponse, message: message))
    }

    /// The server no longer knows the upload.
    static func loss(_ head: HTTPResponseHead) -> Self {
        let error = TransferError(
            code: .uploadGone,
            message: "the server answers \(head.status): it has forgotten the upload"
        )
        return .failure(error, keepsResource: false)
    }

    /// The server has the whole upload, but its response was lost with the connection.
    static let lostAnswer = Self.failure(
        TransferError(
            code: .answerLost,
            message: "the upload is complete, but the connection was cut before its answer came, "
                + "which cannot be fetched again"
        ),
        keepsResource: false
    )
}
