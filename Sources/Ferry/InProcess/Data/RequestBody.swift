import FerrySystem
import FerryTransfer

/// The body of a request to a server, and how it is sent.
@LoopActor
enum RequestBody {
    /// At once, or not at all.
    case plain(Load.Body)
    /// As a resumable upload.
    case upload(Upload)

    /// An upload of a task.
    @LoopActor
    struct Upload {
        /// The body to send.
        var body: ResumableUpload.Body
        /// The resource that an earlier attempt has left on the server.
        var resource: UploadResource?
        /// The protocols to speak.
        var protocols: ResumableUpload.Protocols
        /// Called when the resource changes by which the upload can be resumed.
        var onChange: @LoopActor (UploadResource?) -> Void

        /// Returns the configuration of the upload.
        ///
        /// Brief interruptions are not reported: the server may make no progress for as long as a request may wait for
        /// data.
        func configuration(
            _ load: Load.Configuration,
            for request: TransferRequest
        ) -> ResumableUpload.Configuration {
            let isLimited = request.idleTimeout > 0 && request.idleTimeout < 1e9
            return ResumableUpload.Configuration(
                protocols: protocols,
                interruptions: .goOn(
                    Self.retryPolicy,
                    patience: isLimited ? .seconds(request.idleTimeout) : nil
                ),
                load: load
            )
        }

        /// Short delays, because a user may be waiting.
        private static let retryPolicy = RetryPolicy(
            firstDelay: .milliseconds(200),
            maximumDelay: .seconds(10)
        )
    }
}
