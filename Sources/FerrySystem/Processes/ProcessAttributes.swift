import CFerryLinux
import Glibc

/// The attributes that a process passes on to the programs that it starts, by default.
package struct ProcessAttributes: Hashable, Sendable {
    /// The permissions that new files do not get, as in umask(2).
    package var fileModeMask: UInt32
    /// The number of descriptors that it may have by default: the soft limit of getrlimit(2).
    package var descriptorLimit: Int64

    package init(fileModeMask: UInt32, descriptorLimit: Int64) {
        self.fileModeMask = fileModeMask
        self.descriptorLimit = descriptorLimit
    }

    /// The number of descriptors that this process may have now.
    package static var currentDescriptorLimit: Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }

    /// The permissions that new files of this process do not get; `nil` without `/proc`.
    ///
    /// umask(2) would change it for a moment, in which other threads make files.
    package static var currentFileModeMask: UInt32? {
        guard let directory = try? Directory(opening: "/proc/self"),
            let bytes = try? directory.open("status", .read).readToEnd(limit: 16_384)
        else { return nil }
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix("Umask:") }
        return line?.split(separator: "\t").last.flatMap { UInt32($0, radix: 8) }
    }

    /// Sets back what this process has inherited from whoever happened to start it, as far as that is possible:
    /// limits, scheduling, and what else docs/decisions/starting-programs.md lists.
    ///
    /// Call it first in the main thread, before any other thread exists.
    package static func resetInherited() { CFerryLinux_resetInheritedAttributes() }

    /// Sets this process's mask and raises its limit as far as it may.
    ///
    /// - Returns: The original attributes, for the programs that it starts in turn. The limit matters: a
    ///   program that uses select(2) cannot handle descriptors from 1024 on, so only a program that can may
    ///   raise it, for itself.
    package static func replace(fileModeMask: UInt32) -> ProcessAttributes {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        getrlimit(resource, &limit)
        let earlier = ProcessAttributes(
            fileModeMask: umask(fileModeMask),
            descriptorLimit: Int64(clamping: limit.rlim_cur)
        )
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
        return earlier
    }
}
