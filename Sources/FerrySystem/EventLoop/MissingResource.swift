import Glibc

/// A resource of the process's that no caller can do without.
enum MissingResource {
    /// Ends the process with a message on standard error, and the status `EX_OSERR` of sysexits(3).
    ///
    /// - Parameters:
    ///   - task: What failed.
    ///   - error: The system call that failed.
    static func endProcess(_ task: String, _ error: SystemCallError) -> Never {
        let text =
            "Ferry cannot continue: \(task): \(error). The process may have too little memory or too few threads "
            + "(ulimit -v, ulimit -u).\n"
        text.withCString { _ = write(STDERR_FILENO, $0, strlen($0)) }
        _exit(71)
    }
}
