import FerrySystem
import FerryTestSupport
import Foundation
import Testing

/// A script of `conformance`, run by python with the package `varlink`.
struct PythonScript {
    struct Outcome {
        var exit: ProcessExit
        var output: [JSONValue]
        var errors: String
    }

    private static let tests = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()

    /// `FERRY_TEST_PYTHON`, or what the set-up script installs.
    private static var interpreter: String {
        if let path = ProcessEnvironment["FERRY_TEST_PYTHON"], !path.isEmpty { return path }
        return tests.deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: ".build/venv/bin/python").path
    }

    let name: String
    let place: TemporaryDirectory

    /// Runs the script to its end.
    func run(_ arguments: [String]) async throws -> Outcome {
        let interpreter = Self.interpreter
        try #require(
            access(interpreter, X_OK) == 0,
            """
            There is no python at \(interpreter). The project's set-up script makes it, with the \
            package varlink 31.0.0; FERRY_TEST_PYTHON names another one.
            """
        )
        let output = try place.directory.open("output", .create)
        let errors = try place.directory.open("errors", .create)
        let launch = ProcessLaunch(
            executable: interpreter,
            arguments: [Self.tests.appending(path: "conformance/\(name)").path] + arguments,
            descriptors: [output.rawValue: 1, errors.rawValue: 2]
        )
        let exit: ProcessExit = try await withCheckedThrowingContinuation { continuation in
            LoopActor.perform {
                do {
                    _ = try ChildProcess(launch) { continuation.resume(returning: $0) }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        let text = try read("errors")
        try #require(
            !text.contains("No module named 'varlink'"),
            """
            \(interpreter) does not have the package varlink 31.0.0. The project's set-up script \
            installs it into .build/venv; FERRY_TEST_PYTHON names another python.
            """
        )
        return Outcome(
            exit: exit,
            output: try read("output").split(separator: "\n").map {
                try JSONValue(parsing: Data($0.utf8))
            },
            errors: text
        )
    }

    private func read(_ name: String) throws -> String {
        let bytes = try place.directory.open(name, .read).readToEnd(limit: 1 << 20)
        return String(decoding: bytes, as: UTF8.self)
    }
}
