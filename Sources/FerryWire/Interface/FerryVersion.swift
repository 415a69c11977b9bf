/// The version of Ferry: of the library, of ferryd and of the `ferry` command, which are released together.
///
/// This is its only place. What else needs it, such as a package, reads it here or asks a program for it.
package enum FerryVersion {
    /// The version, after Semantic Versioning.
    package static let current = "0.1.0"

    /// Returns a program's answer to `--version`, with the version of the interface that it speaks.
    package static func line(of program: String) -> String {
        "\(program) \(current) (\(Wire.interface) \(Wire.version))"
    }
}
