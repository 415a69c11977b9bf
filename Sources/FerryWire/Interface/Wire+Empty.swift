extension Wire {
    /// A reply that says nothing but that a call was carried out.
    package struct Empty: Codable, Hashable, Sendable {
        /// Creates an empty reply.
        package init() {}
    }
}
