/// A server could not be started.
package struct TestServerError: Error, CustomStringConvertible {
    let program: String
    let output: String

    /// What the server said.
    package var description: String {
        "\(program) did not start (is it installed? run scripts/set-up): \(output)"
    }
}
