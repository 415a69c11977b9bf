extension Wire {
    /// How a task is carried out, beyond what its request says; what is missing is the daemon's choice.
    package struct TransferOptions: Codable, Hashable, Sendable {
        /// The digests that the finished file has to have.
        package var digests: [Digest]?
        /// Other addresses of the same resource.
        package var mirrors: [String]?
        /// How many connections may load parts of the resource at once; 1 or more.
        package var maximumConnections: Int?
        /// How many bytes may arrive per second.
        package var receiveRate: Int64?
        /// How many bytes may leave per second.
        package var sendRate: Int64?
        /// Which attempts are made again, and when.
        package var retry: RetryRules?
        /// Whether an answer with a status of 400 or more fails a download, and its body is no file.
        package var refusesErrorResponses: Bool?
        /// By which protocol an upload can be continued.
        package var uploadProtocol: UploadProtocol?
        /// The absolute path of the directory that a download is for: its file grows there where that is another
        /// file system than the daemon's.
        package var directory: String?

        /// Creates options.
        package init(
            digests: [Digest]? = nil,
            mirrors: [String]? = nil,
            maximumConnections: Int? = nil,
            receiveRate: Int64? = nil,
            sendRate: Int64? = nil,
            retry: RetryRules? = nil,
            refusesErrorResponses: Bool? = nil,
            uploadProtocol: UploadProtocol? = nil,
            directory: String? = nil
        ) {
            self.digests = digests
            self.mirrors = mirrors
            self.maximumConnections = maximumConnections
            self.receiveRate = receiveRate
            self.sendRate = sendRate
            self.retry = retry
            self.refusesErrorResponses = refusesErrorResponses
            self.uploadProtocol = uploadProtocol
            self.directory = directory
        }
    }
}
