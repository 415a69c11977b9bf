import Foundation

/// A value in a file, which is replaced as a whole.
struct JSONFile<Value: Codable>: Sendable {
    let url: URL

    /// nil when there is none, or it cannot be read.
    func read() -> Value? {
        guard let data = try? Data(contentsOf: url) else { return nil }
        return try? JSONDecoder().decode(Value.self, from: data)
    }

    func write(_ value: Value) throws {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try JSONEncoder().encode(value).write(to: url, options: .atomic)
    }
}
