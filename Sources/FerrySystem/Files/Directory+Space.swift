import Glibc

extension Directory {
    /// How many bytes an ordinary process can still write to the directory's file system.
    ///
    /// A quota is none of its business.
    ///
    /// - Throws: `fstatvfs` with the path.
    package func availableByteCount() throws(SystemCallError) -> Int64 {
        var status = statvfs()
        let descriptor = descriptor
        try systemCall("fstatvfs", path) { fstatvfs(descriptor, &status) }
        let (count, overflows) = Int64(clamping: status.f_bavail)
            .multipliedReportingOverflow(by: Int64(clamping: status.f_frsize))
        return overflows ? .max : count
    }
}
