import Foundation

/// A directory for one test; removed with the value.
final class TemporaryDirectory: Sendable {
    /// Its path, without symbolic links.
    let path: String

    /// A new, empty directory.
    init() throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("ferry-command-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.resolvingSymlinksInPath().path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file and returns its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: "\(path)/\(name)", atomically: false, encoding: .utf8)
        return "\(path)/\(name)"
    }

    /// Reads a file.
    func read(_ name: String) throws -> String {
        try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
    }

    /// The names of all entries, hidden ones too.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }
}
