import Glibc

/// The kernel's identifier of the current boot.
///
/// Bytes that a process has written survive that process, but survive the machine only if they were
/// synchronized. Two equal identifiers prove that the machine has not restarted in between.
package struct BootIdentifier: Hashable, Sendable, Codable {
    /// The text of `/proc/sys/kernel/random/boot_id`.
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// The current boot; unique to the process if the kernel does not report it, so that nothing is trusted.
    package static let current = BootIdentifier(rawValue: readCurrent())

    private static func readCurrent() -> String {
        let path = "/proc/sys/kernel/random/boot_id"
        if let raw = try? systemCall("open", path, { open(path, O_RDONLY | O_CLOEXEC) }) {
            let file = FileDescriptor(owning: raw)
            if let bytes = try? file.readToEnd(limit: 256) {
                let text = String(decoding: bytes, as: UTF8.self)
                let line = text.prefix { !$0.isWhitespace }
                if !line.isEmpty { return String(line) }
            }
        }
        return "unknown-\(getpid())-\(UInt64.random(in: .min ... .max))"
    }

    package init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
