/// The resource that a server has created for an upload, which can continue there.
package struct UploadResource: Hashable, Sendable, Codable {
    /// The resource's URL.
    package var url: String
    /// The protocol of the server.
    package var language: UploadProtocol
    /// The last offset that the server has reported; it may have more bytes by now, or fewer.
    package var acknowledgedByteCount: Int64
    /// The server's limits for parts.
    package var limits: UploadLimits
    /// The further capabilities of a tus server; `nil` for the drafts.
    package var tus: TusCapabilities?

    /// Makes a resource from its parts.
    package init(
        url: String,
        language: UploadProtocol,
        acknowledgedByteCount: Int64 = 0,
        limits: UploadLimits = UploadLimits(),
        tus: TusCapabilities? = nil
    ) {
        self.url = url
        self.language = language
        self.acknowledgedByteCount = acknowledgedByteCount
        self.limits = limits
        self.tus = tus
    }
}
