import Foundation

/// Writes lines that are shorter than a pipe's atomic size, so that processes do not mix them.
struct EventWriter: Sendable {
    private let descriptor: Int32

    init(path: String) { descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC) }

    func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = Foundation.write(descriptor, bytes, bytes.count)
    }
}
