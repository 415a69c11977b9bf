import FoundationEssentials

/// How much memory a process has in use, in bytes.
package struct ProcessMemory: Sendable {
    /// What is in use now.
    package let present: Int
    /// The most that ever was.
    package let peak: Int

    /// Asks the kernel about a process that is running.
    ///
    /// - Throws: `CocoaError` when there is no such process.
    package init(of process: Int32) throws {
        // Pages, and lines of proc(5), are read as text of "Name:   123 kB".
        let data = try Data(contentsOf: URL(filePath: "/proc/\(process)/status"))
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
        func bytes(_ name: String) throws -> Int {
            guard let line = lines.first(where: { $0.hasPrefix(name) }),
                let kibibytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
            else { throw CocoaError(.fileReadCorruptFile) }
            return kibibytes << 10
        }
        present = try bytes("VmRSS:")
        peak = try bytes("VmHWM:")
    }
}
