import FerrySystem
import FerryTestSupport
import Testing

extension TestHome {
    /// Runs the `ferry` command, expects that it succeeds, and returns what it wrote.
    func ferryOutput(_ arguments: [String]) async throws -> String {
        let (exit, output, error) = try await ferry(arguments)
        #expect(exit == .exited(status: 0), "\(arguments): \(error)")
        return output
    }
}
