import FerrySystem
import FerryTransfer

/// What a request to a server sends, and how.
@LoopActor
enum RequestBody {
    /// At once, or not at all.
    case plain(Load.Body)
    /// As an upload that goes on where it was cut off.
    case upload(Upload)

    /// An upload of a task.
    @LoopActor
    struct Upload {
        /// What is sent.
        var body: ResumableUpload.Body
        /// What an earlier attempt has left at the server.
        var resource: UploadResource?
        /// The protocols to speak.
        var protocols: ResumableUpload.Protocols
        /// Called when the upload can be continued by something else than before.
        var onChange: @LoopActor (UploadResource?) -> Void

        /// How the upload is carried out.
        ///
        /// A brief interruption is nobody's business: as long as a request may wait for anything to arrive, so
        /// long may the server go without anything new.
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

        /// Somebody may be looking on.
        private static let retryPolicy = RetryPolicy(
            firstDelay: .milliseconds(200),
            maximumDelay: .seconds(10)
        )
    }
}
