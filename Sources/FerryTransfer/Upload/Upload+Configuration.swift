extension Upload {
    /// How an upload is carried out.
    package struct Configuration: Sendable {
        /// The most bytes of the answer's body that are kept; 16 MiB by default.
        package var greatestAnswerByteCount: Int64
        /// Whether the answer's body is forced onto the disk before the upload finishes.
        package var synchronizer: FileSynchronizer?
        /// The protocols by which an upload may be continued; `automatic` by default.
        package var protocols: ResumableUpload.Protocols
        /// What a response means that says that the server is unavailable; `deliver` by default.
        package var unavailableResponses: Download.UnavailableResponses
        /// How the request is carried through to its answer.
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
