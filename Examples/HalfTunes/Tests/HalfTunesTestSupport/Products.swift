import Foundation

/// The programs of this package, built beside the tests.
package enum Products {
    /// The absolute path of a program.
    package static func path(of name: String) -> String {
        // The program that runs tests is the toolchain's, and gets the bundle that holds them.
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? ""
        return URL(fileURLWithPath: bundle).deletingLastPathComponent()
            .appending(component: name).path
    }
}
