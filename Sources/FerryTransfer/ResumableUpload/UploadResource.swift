/// What a server has made for an upload, by which it can go on where it was cut off.
package struct UploadResource: Hashable, Sendable, Codable {
    /// Where it is.
    package var url: String
    /// How it is spoken to.
    package var language: UploadProtocol
    /// How many bytes the server has said to have; it may have more by now, or fewer.
    package var acknowledgedByteCount: Int64
    /// What its server wants parts to keep to.
    package var limits: UploadLimits
    /// What a server of tus can do beside; `nil` for the drafts.
    package var tus: TusCapabilities?

    /// Makes a resource of its parts.
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
