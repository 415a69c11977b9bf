package import Foundation

/// A value in a file, which is replaced as a whole.
package struct JSONFile<Value: Codable>: Sendable {
    private let url: URL

    package init(url: URL) {
        self.url = url
    }

    /// nil when there is none, or it cannot be read.
    package func read() -> Value? {
        guard let data = try? Data(contentsOf: url) else { return nil }
        return try? JSONDecoder().decode(Value.self, from: data)
    }

    package func write(_ value: Value) throws {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try JSONEncoder().encode(value).write(to: url, options: .atomic)
    }
}
