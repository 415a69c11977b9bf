import FerrySystem
import Foundation
import Glibc
import Testing

/// A directory that is removed with everything in it when it is no longer needed.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/ferry-daemon-XXXXXX".utf8CString)
        let created = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }
        }
        path = String(cString: try #require(created))
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func open() throws -> Directory { try Directory(opening: path) }
}
