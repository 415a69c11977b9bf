import FerrySystem
import Foundation
import Testing

/// A directory that is removed at the end of its test.
final class TemporaryDirectory: Sendable {
    let directory: Directory
    private let isMount: Bool

    var path: String { directory.path }

    /// Whether a file system of its own can be had.
    static let canMount = geteuid() == 0

    /// Makes a directory below `parent`.
    init(in parent: String = "/tmp") throws {
        directory = try Directory(opening: try Self.make(in: parent))
        isMount = false
    }

    /// Makes a directory that is a file system of its own, in memory, of that size.
    init(mountingBytes size: Int) throws {
        let path = try Self.make(in: "/tmp")
        try Self.run("mount", ["-t", "tmpfs", "-o", "size=\(size),mode=0700", "tmpfs", path])
        directory = try Directory(opening: path)
        isMount = true
    }

    deinit {
        // The directory is still open, which a lazy unmount does not mind.
        if isMount { try? Self.run("umount", ["-l", path]) }
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The whole content of a file.
    func content(of name: String) throws -> [UInt8] {
        try directory.open(name, .read).readToEnd(limit: 1 << 30)
    }

    private static func make(in parent: String) throws -> String {
        var template = Array("\(parent)/ferry-transfer-XXXXXX".utf8CString)
        _ = try #require(mkdtemp(&template))
        return template.withUnsafeBufferPointer { buffer in
            String(decoding: buffer.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    private static func run(_ program: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/\(program)")
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }
}
