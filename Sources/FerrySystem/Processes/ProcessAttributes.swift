import Glibc

/// What a process passes on to the programs that it starts unless it says otherwise.
package struct ProcessAttributes: Hashable, Sendable {
    /// The permissions that new files do not get, as in umask(2).
    package var fileModeMask: UInt32
    /// How many descriptors it may have without asking for more: the soft limit of getrlimit(2).
    package var descriptorLimit: Int64

    package init(fileModeMask: UInt32, descriptorLimit: Int64) {
        self.fileModeMask = fileModeMask
        self.descriptorLimit = descriptorLimit
    }

    /// How many descriptors this process may have now.
    package static var currentDescriptorLimit: Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }

    /// Sets this process's mask and raises its limit as far as it may.
    ///
    /// - Returns: What it was started with, for the programs that it starts in turn. The limit
    ///   matters: descriptors from 1024 on are beyond what a program that uses select(2) can
    ///   handle, so that only a program that knows better may raise it, for itself.
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
