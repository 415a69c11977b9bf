import FerryTransfer

/// The daemon's limits and delays.
struct DaemonPolicy: Sendable {
    /// How many transfers run at once, over all hosts.
    var maximumTransfers = 32
    /// How many transfers run at once for one host, over all sessions.
    var maximumTransfersPerHost = 16
    /// How long a transfer has its place at least before it may have to leave it to an application that has fewer
    /// places and tasks that wait, in seconds.
    var minimumPlaceTime: Double = 20
    /// Below how many bytes per second a transfer brings next to nothing: a modem brings twenty times as much.
    var trickleRate: Double = 256
    /// For how long a transfer may bring next to nothing before it leaves its place to whatever else waits, in seconds;
    /// twice as long each further time, so that it gets done as well.
    var trickleTime: Double = 60
    /// How long a server may take its time to answer what it must not be asked twice, while others wait, in seconds.
    var answerTime: Double = 900
    /// How often such a time is doubled at most.
    var maximumTrickleDoublings = 6
    /// How long at least until it is looked again whether places are to go to others, in seconds.
    var shareReviewInterval: Double = 5
    /// How many tasks are known at once that have left their places because they brought next to nothing.
    var maximumYields = 1024
    /// How many tasks get the bytes of one other at most; each is held in memory.
    var maximumFollowers = 32
    /// How long the end of a task waits for copies of its file for others, in seconds.
    var copyTime: Double = 10
    /// How many bytes a file has at most that is copied for another task where the disk cannot have both share them.
    var greatestCopy: Int64 = 64 << 20
    /// When several connections fetch one download, and how many at most.
    var segments = Download.SegmentPolicy()
    /// When a failed attempt is made again.
    var retry = RetryPolicy()
    /// How far off the next attempt may be of which only another boot knows: what is further off is not believed, as the
    /// clock may have been set.
    var longestBelievedWait: Double = 3600
    /// How long a transfer waits for room on the disk before it tries again, in seconds.
    var diskFullDelay: Double = 30
    /// The wait after the first start of an application that came to nothing; it doubles each time.
    var relaunchDelay: Double = 1
    /// The longest wait between two starts of an application, in seconds.
    var maximumRelaunchDelay: Double = 3600
    /// How long the start of an application may take before it counts as a failure, in seconds: its file may be on a
    /// disk that does not answer.
    var launchPatience: Double = 60
    /// How long after its start the daemon starts no application, in seconds: one that runs, and
    /// whose daemon has died or has just been started by it, needs a moment to come.
    var relaunchGrace: Double = 2
    /// How many transfers may wait at once until their applications have decided something.
    var maximumParkedTransfers = 32
    /// How many tasks may wait at once until their applications have let them begin.
    var maximumQuestions = 256
    /// How long one waits that exceeds this, in seconds.
    var questionDelay: Double = 30
    /// How many bytes the configuration of a session has at most, such as its header fields.
    var maximumConfigurationByteCount = 256 << 10
    /// How many bytes a session counts as at least: each is held in memory, however small its configuration.
    var minimumSessionByteCount = 2 << 10
    /// How many bytes an application's sessions have at most: enough for 8192 small ones.
    var maximumSessionByteCountPerApplication = 16 << 20
    /// How many bytes all sessions have at most.
    var maximumSessionByteCount = 64 << 20
    /// How many bytes of names and values are kept of the header fields of an answer.
    var maximumHeadByteCount = 16 << 10
    /// How long the daemon stays with nothing to do and nobody connected, in seconds.
    var idleTime: Double = 10
    /// The shortest time between two progress events of a task, in seconds.
    var progressInterval = 0.1
    /// How long until the store is asked again after it could not be read, in seconds.
    var rereadDelay: Double = 10
    /// How many events are read from the log at once.
    var eventPageSize = 64
}
