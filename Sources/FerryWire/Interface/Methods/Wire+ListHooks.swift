extension Wire {
    /// Lists the applications that the daemon may start.
    package struct ListHooks: TransferMethod {
        /// What ``ListHooks`` is answered with.
        package struct Reply: Codable, Hashable, Sendable {
            /// The applications.
            package var hooks: [Hook]

            /// Creates a reply.
            package init(hooks: [Hook]) {
                self.hooks = hooks
            }
        }

        /// The method's name in the interface.
        package static let name = "ListHooks"

        /// Creates a call.
        package init() {}
    }
}
