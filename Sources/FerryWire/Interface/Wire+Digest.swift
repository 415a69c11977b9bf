package import FoundationEssentials

extension Wire {
    /// A digest of all bytes of a resource.
    package struct Digest: Codable, Hashable, Sendable {
        /// The algorithm, by its name in the registry of RFC 9530, such as sha-256.
        package var algorithm: String
        /// The digest.
        package var value: Data

        /// Creates one of its parts.
        package init(algorithm: String, value: Data) {
            self.algorithm = algorithm
            self.value = value
        }
    }
}
