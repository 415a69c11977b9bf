package import Foundation
package import HalfTunesCore

/// The catalog of the trial, run for one test.
package final class TrialCatalog: Sendable {
    package let address: URL
    private let process: Process
    /// The catalog ends with its input.
    private let input: Pipe

    /// Starts it, and waits until it can be asked.
    ///
    /// - Parameter rate: In bytes per second and file; 0 for no limit.
    /// - Throws: what Foundation does when it cannot be started.
    package init(rate: Int = 0) throws {
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", Self.script, "--rate", String(rate), "--seconds", "4"]
        process.standardInput = input
        process.standardOutput = output
        try process.start()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let address = URL(string: line.trimmingCharacters(in: .newlines)) else {
            throw CocoaError(.fileReadUnknown)
        }
        (self.process, self.input, self.address) = (process, input, address)
    }

    deinit {
        process.terminate()
    }

    private static var script: String {
        URL(fileURLWithPath: #filePath)
            .appending(path: "../../../trial/catalog.py")
            .standardizedFileURL.path
    }

    package func preview(_ number: Int) -> Track {
        Track(
            title: "Title \(number)",
            artist: "Artist \(number)",
            previewURL: address.appending(path: "preview/song0\(number).wav")
        )
    }

    /// A large picture: `morning`, `evening` or `night`.
    package func picture(_ name: String) -> URL {
        address.appending(path: "picture/\(name).png")
    }

    /// Changes how it behaves.
    package func change(_ settings: String) async throws {
        try await curl("--request", "PUT", "--data", settings, "\(address)/trial")
    }

    /// What was searched for, once there are so many searches.
    package func searches(_ count: Int) async throws -> [String] {
        let answer = try await curl("\(address)/trial/searches?count=\(count)")
        return try JSONDecoder().decode([String].self, from: answer)
    }

    /// What a URL gives, by another client than the one that is tested.
    ///
    /// - Parameter arguments: Of the program curl.
    /// - Returns: What it writes.
    /// - Throws: what Foundation does when it cannot be started.
    @discardableResult
    package func curl(_ arguments: String...) async throws -> Data {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["curl", "--silent", "--fail"] + arguments
        process.standardOutput = output
        try process.start()
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let data = output.fileHandleForReading.readDataToEndOfFile()
                continuation.resume(returning: data)
            }
        }
    }
}
