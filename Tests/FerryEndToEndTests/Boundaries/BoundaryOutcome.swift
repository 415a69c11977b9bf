/// How a run has ended at which something happened at a system call.
struct BoundaryOutcome: Sendable {
    /// What has become of the ferryd that it happened to.
    enum End: String, Sendable {
        /// It went on to its ordinary end.
        case wentOn = "went on"
        /// It ended, and has said why.
        case gaveUp = "ended with a message"
        /// It was killed at the call.
        case killed
        /// What it could not get, memory or a thread, the runtime cannot do without: the process ended.
        case outOfMemory = "ended for want of memory"
        /// The call was not made in this run.
        case notReached = "not reached"
    }

    /// What has become of ferryd.
    var end = End.wentOn
    /// The error codes that tasks ended with, which would have ended well otherwise.
    var errors: [Int] = []
    /// What was promised and does not hold.
    var faults: [String] = []
}
