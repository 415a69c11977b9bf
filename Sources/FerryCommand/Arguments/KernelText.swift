/// Text from the kernel, for which arguments and paths are bytes.
enum KernelText {
    /// Returns bytes as a text; nil if they are not UTF-8.
    ///
    /// - Parameter bytes: The bytes.
    /// - Returns: The text; nil if they are not UTF-8.
    static func text(_ bytes: [UInt8]) -> String? { String(validating: bytes, as: UTF8.self) }

    /// Returns bytes as a text in which all that are not of ASCII are numbers, as a shell takes them in `$'…'`.
    ///
    /// - Parameter bytes: The bytes.
    /// - Returns: The text.
    static func escaped(_ bytes: [UInt8]) -> String {
        bytes.reduce(into: "") { text, byte in
            let digits = String(byte, radix: 16)
            let number = "\\x" + (digits.count < 2 ? "0" : "") + digits
            text += 0x20...0x7E ~= byte ? String(UnicodeScalar(byte)) : number
        }
    }
}
