import FerrySystem

/// A connection's socket among those that the event loop watches.
///
/// It stays there between two requests: to leave and to enter again would be two system calls for each
/// request.
@LoopActor struct SocketWatch {
    let watch: Watch
    /// What the kernel is asked to report.
    private(set) var readiness: Readiness
    /// Whether nobody waits for the socket at the moment.
    var isResting = false

    init(_ watch: Watch, _ readiness: Readiness) {
        self.watch = watch
        self.readiness = readiness
    }

    /// Waits for `readiness` from now on.
    mutating func wake(for readiness: Readiness) throws(SystemCallError) {
        isResting = false
        guard readiness != self.readiness else { return }
        try watch.update(readiness)
        self.readiness = readiness
    }
}
