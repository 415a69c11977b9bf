package import FoundationEssentials

extension Wire {
    /// Why a task does not run although it may.
    package struct Wait: Codable, Hashable, Sendable {
        /// The reason, for programs.
        package var reason: WaitReason
        /// When it ends, where that is known.
        package var until: Date?
        /// The reason's particulars, for people.
        package var detail: String?

        /// Creates a wait.
        package init(reason: WaitReason, until: Date? = nil, detail: String? = nil) {
            self.reason = reason
            self.until = until
            self.detail = detail
        }
    }
}
