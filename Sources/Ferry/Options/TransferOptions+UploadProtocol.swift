extension TransferOptions {
    /// By which protocol an upload can be continued after a connection has broken.
    public enum UploadProtocol: Hashable, Sendable {
        /// By that which the server offers.
        case automatic
        /// By the IETF's draft "Resumable Uploads for HTTP", where the server offers it.
        case draft
        /// By tus 1.0: the URL is one where uploads are created.
        case tus
        /// By none: it begins anew each time.
        case off
    }
}
