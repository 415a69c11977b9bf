extension URLSession {
    /// The ways to proceed with an authentication challenge.
    public enum AuthChallengeDisposition: Int, Hashable, Sendable {
        /// Use the credential; without one, continue as if none were available.
        case useCredential = 0
        /// Act as if the delegate did not implement the method.
        case performDefaultHandling = 1
        /// Cancel the task, which fails with `URLError.Code.cancelled`.
        case cancelAuthenticationChallenge = 2
        /// Try the next authentication method that the server offers; if there is none, its response is the result.
        case rejectProtectionSpace = 3
    }

    /// The ways to proceed with a response.
    public enum ResponseDisposition: Int, Hashable, Sendable {
        /// Cancel the task, as ``URLSessionTask/cancel()`` does.
        case cancel = 0
        /// Continue.
        case allow = 1
        /// Continue as a download task.
        case becomeDownload = 2
        /// Continue as a stream task.
        ///
        /// - Important: There are no stream tasks on Linux: the task fails with
        ///   `URLError.Code.unsupportedURL`.
        case becomeStream = 3
    }

    /// The ways to proceed with a request that was delayed until its date.
    public enum DelayedRequestDisposition: Int, Hashable, Sendable {
        /// Send it as it is.
        case continueLoading = 0
        /// Send another one in its place.
        case useNewRequest = 1
        /// Cancel the task.
        case cancel = 2
    }
}
