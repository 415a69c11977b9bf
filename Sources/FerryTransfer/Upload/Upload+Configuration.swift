extension Upload {
    /// How an upload is carried out.
    package struct Configuration: Sendable {
        /// The maximum size of the response body; 16 MiB by default.
        package var greatestAnswerByteCount: Int64
        /// The synchronizer that forces the response body onto the disk before the upload finishes, if any.
        package var synchronizer: FileSynchronizer?
        /// The protocols by which an upload may be continued; `automatic` by default.
        package var protocols: ResumableUpload.Protocols
        /// How to treat a response that says that the server is unavailable; `deliver` by default.
        package var unavailableResponses: Download.UnavailableResponses
        /// The configuration of the request's load.
        package var load: Load.Configuration

        /// Makes a configuration.
        package init(
            greatestAnswerByteCount: Int64 = 16 << 20,
            synchronizer: FileSynchronizer? = nil,
            protocols: ResumableUpload.Protocols = .automatic,
            unavailableResponses: Download.UnavailableResponses = .deliver,
            load: Load.Configuration = Load.Configuration()
        ) {
            self.greatestAnswerByteCount = greatestAnswerByteCount
            self.synchronizer = synchronizer
            self.protocols = protocols
            self.unavailableResponses = unavailableResponses
            self.load = load
        }
    }
}
