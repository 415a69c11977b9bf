extension URLSession {
    /// What to do about a challenge.
    public enum AuthChallengeDisposition: Int, Hashable, Sendable {
        /// Use the credential; without one, go on as if there were none to be had.
        case useCredential = 0
        /// Do as if the delegate did not implement the method.
        case performDefaultHandling = 1
        /// Cancel the task, which fails with `URLError.Code.cancelled`.
        case cancelAuthenticationChallenge = 2
        /// Try the next way that the server offers; without one, its response is the answer.
        case rejectProtectionSpace = 3
    }

    /// What to do about a response.
    public enum ResponseDisposition: Int, Hashable, Sendable {
        /// Cancel the task, as ``URLSessionTask/cancel()`` does.
        case cancel = 0
        /// Go on.
        case allow = 1
        /// Go on as a download task.
        case becomeDownload = 2
        /// Go on as a stream task.
        ///
        /// - Important: There are no stream tasks on Linux: the task fails with
        ///   `URLError.Code.unsupportedURL`.
        case becomeStream = 3
    }

    /// What to do about a request that was held back until its date.
    public enum DelayedRequestDisposition: Int, Hashable, Sendable {
        /// Send it as it is.
        case continueLoading = 0
        /// Send another one in its place.
        case useNewRequest = 1
        /// Cancel the task.
        case cancel = 2
    }
}
