import CFerryLinux
import Glibc

/// A mounted file system of this process's mount namespace (mount_namespaces(7)).
package struct Mount: Hashable, Sendable {
    /// Its number, which belongs to it while it is mounted.
    package let number: Int
    /// The mount point.
    package let path: String
    /// The type, such as `ext4` or `fuse.sshfs`.
    package let type: String
    /// What is mounted, such as `/dev/sdb1` or `ana@host:/files`; the type defines its form.
    package let source: String

    /// Returns the file systems that are mounted now, in the order in which they cover each other.
    package static func all() -> [Mount] {
        let text = (try? contents(of: "/proc/self/mountinfo")) ?? ""
        return text.split(separator: "\n").compactMap { Mount(line: $0) }
    }

    /// Returns the mounted file system through which a file was opened; `nil` if it is unknown.
    ///
    /// - Parameters:
    ///   - descriptor: The open file.
    ///   - mounts: The mounted file systems.
    /// - Returns: The one among them.
    package static func of(_ descriptor: Int32, among mounts: [Mount]) -> Mount? {
        // proc(5): mnt_id, since Linux 3.15.
        let text = (try? contents(of: "/proc/self/fdinfo/\(descriptor)")) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("mnt_id:") }
        let number = line?.split(whereSeparator: { $0 == ":" || $0 == "\t" || $0 == " " }).last
            .flatMap { Int($0) }
        return mounts.first { $0.number == number }
    }

    /// Creates a mount from a line of mountinfo (proc(5)).
    ///
    /// `36 35 98:0 /root /point rw,noatime master:1 - ext3 /dev/root rw`
    package init?(line: Substring) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count > 6, let number = Int(words[0]),
            let dash = words[6...].firstIndex(of: "-"), words.count > dash + 2
        else { return nil }
        self.number = number
        path = Self.unescaped(words[4])
        type = Self.unescaped(words[dash + 1])
        source = Self.unescaped(words[dash + 2])
    }

    /// Returns a text in which `\040` stands for a blank, and so on.
    private static func unescaped(_ text: Substring) -> String {
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return String(text) }
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(3), as: UTF8.self)
            if byte == UInt8(ascii: "\\"), digits.utf8.count == 3,
                let value = UInt8(digits, radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func contents(of path: String) throws(SystemCallError) -> String {
        let file = FileDescriptor(
            owning: try systemCall("open", path) { open(path, O_RDONLY | O_CLOEXEC) }
        )
        return String(decoding: try file.readToEnd(limit: 16 << 20), as: UTF8.self)
    }
}

/// A wait for changes that may bring a missing file or directory back, or room for a file.
///
/// What happens from its creation on ends the wait: what is found afterwards misses no change. Without changes it
/// causes no wake-up.
package final class DiskChanges: Sendable {
    private let mounts: Int32
    private let entries: Int32
    /// Readable when the wait is to end.
    private let interruption: Int32
    /// What the names begin with that are of no interest.
    private let ignoredPrefix: String?

    /// Begins to observe.
    ///
    /// - Parameters:
    ///   - path: The path of the directory in which something is to change, or which is to appear.
    ///   - ignoredPrefix: What the names of files begin with whose changes are of no interest: the caller's own.
    package init(about path: String, ignoring ignoredPrefix: String? = nil) {
        self.ignoredPrefix = ignoredPrefix
        // Polled, it reports changes since the last poll; the first one reports those since it was opened.
        mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
        entries = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        interruption = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        let appearance = UInt32(IN_CREATE | IN_MOVED_TO)
        let whole = UInt32(IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
        let removal = UInt32(IN_DELETE | IN_MOVED_FROM | IN_CLOSE_WRITE)
        guard inotify_add_watch(entries, path, whole | appearance | removal) < 0 else { return }
        // The nearest directory that exists: in it the next one of the path appears.
        var ancestor = path
        while let slash = ancestor.lastIndex(of: "/") {
            ancestor = String(ancestor[..<slash])
            let place = ancestor.isEmpty ? "/" : ancestor
            if inotify_add_watch(entries, place, whole | appearance) >= 0 { return }
            if ancestor.isEmpty { return }
        }
    }

    deinit {
        if mounts >= 0 { close(mounts) }
        if entries >= 0 { close(entries) }
        if interruption >= 0 { close(interruption) }
    }

    /// Ends the wait, also one that begins later; from any thread.
    package func interrupt() { eventfd_write(interruption, 1) }

    /// Waits for a change.
    ///
    /// - Parameter limit: The longest time to wait; `nil` if only a change or ``interrupt()`` ends the wait.
    /// - Returns: Whether one of these has ended it, and not the time.
    @discardableResult
    package func wait(atMost limit: Duration?) -> Bool {
        LoopActor.assertMayBlock()
        let end = limit.map { ContinuousClock.now + $0 }
        while true {
            var descriptors = [
                pollfd(fd: mounts, events: Int16(POLLPRI), revents: 0),
                pollfd(fd: entries, events: Int16(POLLIN), revents: 0),
                pollfd(fd: interruption, events: Int16(POLLIN), revents: 0),
            ]
            let rest = end.map { ($0 - .now).milliseconds } ?? -1
            let count = poll(&descriptors, 3, rest)
            if count == 0 { return false }
            if count < 0 {
                if errno == EINTR { continue }
                return false
            }
            if descriptors[0].revents != 0 || descriptors[2].revents != 0 { return true }
            if takeChanges() { return true }
            // Changes of no interest may come for as long as they like.
            if let end, end <= .now { return false }
        }
    }

    /// Empties the kernel's queue.
    ///
    /// - Returns: Whether there was a change that is of interest.
    func takeChanges() -> Bool {
        var isChange = false
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while true {
                let count = read(entries, buffer.baseAddress, buffer.count)
                guard count > 0 else { return }
                var rest = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                while let name = Self.takeName(from: &rest) {
                    if ignoredPrefix.map({ !name.hasPrefix($0) }) ?? true { isChange = true }
                }
            }
        }
        return isChange
    }

    /// Takes a `struct inotify_event` (inotify(7)), and returns the name in it.
    private static func takeName(from bytes: inout UnsafeRawBufferPointer) -> String? {
        let headerSize = MemoryLayout<inotify_event>.size
        guard bytes.count >= headerSize else { return nil }
        let size = headerSize + Int(bytes.loadUnaligned(as: inotify_event.self).len)
        guard bytes.count >= size else { return nil }
        defer { bytes = UnsafeRawBufferPointer(rebasing: bytes[size...]) }
        return String(decoding: bytes[headerSize..<size].prefix { $0 != 0 }, as: UTF8.self)
    }
}

extension Duration {
    /// The duration in milliseconds, rounded up, for poll(2).
    fileprivate var milliseconds: Int32 {
        let (seconds, attoseconds) = components
        let parts = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return Int32(clamping: max(0, seconds * 1000 + parts))
    }
}
