package import FerrySystem
import Glibc

/// A directory of a test's own; removed with everything in it when it is no longer needed.
package final class TemporaryDirectory: Sendable {
    /// The directory, open.
    package let directory: Directory

    /// Makes a directory below `parent`.
    package convenience init(in parent: String = "/tmp") throws {
        try self.init(directory: Directory(opening: Self.make(in: parent)))
    }

    private init(directory: Directory) { self.directory = directory }

    deinit { Self.removeAll(in: path) }

    /// Its path, without symbolic links.
    package var path: String { directory.path }

    /// The names of all entries, hidden ones too.
    package var names: [String] {
        get throws { try directory.names().sorted() }
    }

    /// Makes an empty directory below `parent`, and returns its path.
    static func make(in parent: String = "/tmp") throws -> String {
        var template = Array("\(parent)/ferry-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw SystemCallError(call: "mkdtemp", errno: errno, subject: parent)
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Removes what is in a directory, the directories in it too, and the directory.
    private static func removeAll(in path: String) {
        for name in (try? Directory(opening: path).names()) ?? []
        where unlink("\(path)/\(name)") != 0 {
            removeAll(in: "\(path)/\(name)")
        }
        rmdir(path)
    }
}

// MARK: - Files

extension TemporaryDirectory {
    /// The whole content of a file.
    package func contents(of path: String) throws -> [UInt8] {
        let (directory, name) = try place(path)
        return try directory.open(name, .read).readToEnd(limit: 1 << 30)
    }

    /// The text in a file.
    package func text(of path: String) throws -> String {
        String(decoding: try contents(of: path), as: UTF8.self)
    }

    /// Writes bytes into a file that is made if it is missing, and returns the file's path.
    @discardableResult
    package func write(_ bytes: [UInt8], to path: String, at offset: Int64 = 0) throws -> String {
        let (directory, name) = try place(path)
        let file = try directory.open(name, .create)
        try bytes.withUnsafeBytes { try file.writeAll($0, at: offset) }
        return directory.path(of: name)
    }

    /// The directory of a path below this one, and the name in it.
    private func place(_ path: String) throws -> (Directory, name: String) {
        let names = path.split(separator: "/").map(String.init)
        let parent = try names.dropLast().reduce(directory) {
            try $0.openSubdirectory($1, creating: false)
        }
        return (parent, names.last ?? "")
    }

    /// Writes a text into a file, and returns the file's path.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        try write(Array(text.utf8), to: name)
    }

    /// Copies a file into another directory, under its name.
    package func copy(_ name: String, to other: TemporaryDirectory) throws {
        try other.write(contents(of: name), to: name)
    }
}

extension UserFile {
    /// A file with threads of its own for the calls on it.
    package convenience init(_ descriptor: consuming FileDescriptor) {
        self.init(descriptor, on: BlockingQueue(label: "test.file", threadLimit: 4))
    }
}
