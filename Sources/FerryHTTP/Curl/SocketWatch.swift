import FerrySystem

/// A connection's socket that the event loop watches.
///
/// It stays watched between two requests: removing it and adding it again would cost two system calls per
/// request.
@LoopActor struct SocketWatch {
    let watch: Watch
    /// What the kernel is asked to report.
    private(set) var readiness: Readiness
    /// Whether libcurl is not waiting for the socket at the moment.
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
