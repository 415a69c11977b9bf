extension Wire {
    /// A field of an HTTP message.
    package struct Field: Codable, Hashable, Sendable {
        /// The field's name; case does not matter.
        package var name: String
        /// The field's value.
        package var value: String

        /// Creates a field.
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }
}
