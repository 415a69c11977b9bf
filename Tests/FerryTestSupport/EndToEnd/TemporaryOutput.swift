import FerrySystem
import Glibc

/// A file without a name that takes what a program writes.
final class TemporaryOutput: Sendable {
    let descriptor: Int32

    init() throws {
        var template = Array("/tmp/ferry-output-XXXXXX".utf8CString)
        descriptor = try systemCall("mkstemp") { mkstemp(&template) }
        unlink(template)
    }

    deinit { close(descriptor) }

    /// What was written so far.
    func text() -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = pread(descriptor, &buffer, buffer.count, bytes.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }
}
