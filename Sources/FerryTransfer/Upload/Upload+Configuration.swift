extension Upload {
    /// How an upload is carried out.
    package struct Configuration: Sendable {
        /// The most bytes of the answer's body that are kept; 16 MiB by default.
        package var greatestAnswerByteCount: Int64
        /// Whether the answer's body is forced onto the disk before the upload finishes.
        package var synchronizer: FileSynchronizer?
        /// How the request is carried through to its answer.
        package var load: Load.Configuration

        /// Makes a configuration.
        package init(
            greatestAnswerByteCount: Int64 = 16 << 20,
            synchronizer: FileSynchronizer? = nil,
            load: Load.Configuration = Load.Configuration()
        ) {
            self.greatestAnswerByteCount = greatestAnswerByteCount
            self.synchronizer = synchronizer
            self.load = load
        }
    }
}
