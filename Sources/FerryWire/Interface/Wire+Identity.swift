package import FoundationEssentials

extension Wire {
    /// A certificate and its key, by which a client proves who it is.
    ///
    /// It is never stored.
    package struct Identity: Codable, Hashable, Sendable {
        /// How it is written down.
        package var format: IdentityFormat
        /// Certificate and key.
        package var content: Data
        /// What the key is locked with.
        package var passphrase: String?

        /// Creates one of its parts.
        package init(
            format: IdentityFormat,
            content: Data,
            passphrase: String? = nil
        ) {
            self.format = format
            self.content = content
            self.passphrase = passphrase
        }
    }
}
