import FerryTransfer

/// The daemon's limits and delays.
struct DaemonPolicy: Sendable {
    /// The maximum number of transfers at once, over all hosts.
    var maximumTransfers = 32
    /// The maximum number of transfers at once for one host, over all sessions.
    var maximumTransfersPerHost = 16
    /// The minimum time that a transfer keeps its slot before an application that has fewer slots and has waiting
    /// tasks may get it, in seconds.
    var minimumSlotTime: Double = 20
    /// The number of bytes per second below which a transfer has stalled: a modem is twenty times as fast.
    var stallRate: Double = 256
    /// The time that a transfer may stall before it is preempted for any waiting task, in seconds; it doubles each
    /// time, so that the transfer completes as well.
    var stallTime: Double = 60
    /// The time that a server has to answer a request that must not be repeated, while other tasks wait, in seconds.
    var answerTime: Double = 900
    /// The maximum number of times that ``stallTime`` is doubled.
    var maximumStallDoublings = 6
    /// The minimum time until the shares are reviewed again, in seconds.
    var shareReviewInterval: Double = 5
    /// The maximum number of tasks that are remembered for having been preempted as stalled.
    var maximumPreemptions = 1024
    /// The maximum number of tasks that follow one other; each is held in memory.
    var maximumFollowers = 32
    /// The time that the end of a task waits for copies of its file for other tasks, in seconds.
    var copyTime: Double = 10
    /// The maximum size of a file that is copied for another task if the disk cannot have both share blocks, in bytes.
    var greatestCopy: Int64 = 64 << 20
    /// When several connections load one download, and the maximum number of them.
    var segments = Download.SegmentPolicy()
    /// The policy for retrying failed attempts.
    var retry = RetryPolicy()
    /// The longest wait from an earlier boot that is believed: a longer one is not, as the clock may have been set.
    var longestBelievedWait: Double = 3600
    /// The time that a transfer waits for room on the disk before it retries, in seconds.
    var diskFullDelay: Double = 30
    /// The wait after the first unsuccessful start of an application; it doubles each time.
    var relaunchDelay: Double = 1
    /// The longest wait between two starts of an application, in seconds.
    var maximumRelaunchDelay: Double = 3600
    /// The time after which the start of an application counts as a failure, in seconds: its file may be on a disk that
    /// does not respond.
    var launchTimeout: Double = 60
    /// The time after its own start in which the daemon starts no application, in seconds: a running one, whose daemon
    /// has died or that has just started this one, needs a moment to connect.
    var relaunchGrace: Double = 2
    /// The maximum number of transfers that wait at once for a decision of their applications.
    var maximumWaitingTransfers = 32
    /// The maximum number of tasks that wait at once for their applications, without a transfer.
    var maximumQuestions = 256
    /// The delay of a task that exceeds one of these limits, in seconds.
    var questionDelay: Double = 30
    /// The maximum size of a session's configuration, including its header fields, in bytes.
    var maximumConfigurationByteCount = 256 << 10
    /// The minimum number of bytes that a session counts as: each is held in memory, however small its configuration.
    var minimumSessionByteCount = 2 << 10
    /// The maximum size of an application's sessions, in bytes: enough for 8192 small ones.
    var maximumSessionByteCountPerApplication = 16 << 20
    /// The maximum size of all sessions, in bytes.
    var maximumSessionByteCount = 64 << 20
    /// The maximum number of bytes kept of the names and values of a response's header fields.
    var maximumHeadByteCount = 16 << 10
    /// The time that the daemon stays while it has nothing to do and no client is connected, in seconds.
    var idleTime: Double = 10
    /// The time after a transfer has started or stopped until it is reviewed what is held against the machine's sleep, in
    /// seconds.
    var inhibitionDelay: Double = 1
    /// The time after which a machine that was about to sleep, or to shut down, counts as awake, in seconds, besides that
    /// for which it waits for ferryd: nobody may say that it is.
    var sleepTimeout: Double = 120
    /// The shortest time between two progress events of a task, in seconds.
    var progressInterval = 0.1
    /// The delay before the store is read again after a failure, in seconds.
    var rereadDelay: Double = 10
    /// The number of events that are read from the log at once.
    var eventPageSize = 64
}
