extension Wire {
    /// By which protocol an upload can be continued.
    package enum UploadProtocol: String, Codable, Hashable, Sendable, CaseIterable {
        /// By that which the server offers.
        case automatic
        /// By the IETF's draft, where the server offers it.
        case draft
        /// By tus 1.0.
        case tus
        /// By none: it begins anew each time.
        case off
    }
}
