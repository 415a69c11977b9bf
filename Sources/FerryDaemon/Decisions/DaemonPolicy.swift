import FerryTransfer

/// The daemon's limits and delays.
struct DaemonPolicy: Sendable {
    /// How many transfers run at once, over all hosts.
    var maximumTransfers = 32
    /// How many transfers run at once for one host, over all sessions.
    var maximumTransfersPerHost = 16
    /// When several connections fetch one download, and how many at most.
    var segments = Download.SegmentPolicy()
    /// When a failed attempt is made again.
    var retry = RetryPolicy()
    /// How long a transfer waits for room on the disk before it tries again, in seconds.
    var diskFullDelay: Double = 30
    /// The wait after an application was started in vain for the first time; it doubles each time.
    var relaunchDelay: Double = 1
    /// The longest wait between two starts of an application, in seconds.
    var maximumRelaunchDelay: Double = 3600
    /// How long after its start the daemon starts no application, in seconds: one that runs, and
    /// whose daemon has died or has just been started by it, needs a moment to come.
    var relaunchGrace: Double = 2
    /// How many transfers may wait at once until their applications have decided something.
    var maximumParkedTransfers = 32
    /// How many tasks may wait at once until their applications have let them begin.
    var maximumQuestions = 256
    /// How long one waits that exceeds this, in seconds.
    var questionDelay: Double = 30
    /// How long the daemon stays with nothing to do and nobody connected, in seconds.
    var idleTime: Double = 10
    /// The shortest time between two progress events of a task, in seconds.
    var progressInterval = 0.1
    /// How long until the store is asked again after it could not be read, in seconds.
    var rereadDelay: Double = 10
    /// How many events are read from the log at once.
    var eventPageSize = 64
}
