import FerrySystem
import Glibc
import Testing

/// A directory that is removed with everything in it when it is no longer needed.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/ferry-store-XXXXXX".utf8CString)
        let created = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }
        }
        path = String(cString: try #require(created))
    }

    deinit {
        for name in (try? directory().names()) ?? [] { try? directory().remove(name) }
        rmdir(path)
    }

    func directory() throws -> Directory { try Directory(opening: path) }

    func contents(of name: String) throws -> [UInt8] {
        try directory().open(name, .read).readToEnd(limit: 1 << 30)
    }

    func write(_ bytes: [UInt8], to name: String, at offset: Int64 = 0) throws {
        let file = try directory().open(name, .create)
        try bytes.withUnsafeBytes { try file.writeAll($0, at: offset) }
    }

    func copy(_ name: String, to other: TemporaryDirectory) throws {
        try other.write(contents(of: name), to: name)
    }
}
