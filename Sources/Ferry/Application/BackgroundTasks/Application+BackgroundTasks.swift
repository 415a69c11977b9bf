public import Foundation

extension Application {
    /// Begins a task that is to be over, or handed over, before the program ends.
    ///
    /// While at least one task is open, SIGTERM, which is what a logout, a shutdown, `systemctl stop` and
    /// `docker stop` send, does not end the process at once, nor does SIGHUP, which follows at the end of
    /// some login sessions, and comes alone when a terminal is closed:
    ///
    /// 1. The tasks go on for up to ``terminationGracePeriod``. The same signal once more cuts that
    ///    short.
    /// 2. Those that are still open have their expiration handlers called, and
    ///    ``expirationTimeLimit`` to end.
    /// 3. When all have ended, before or after that, or when the time is over, the process does what
    ///    the signal did before: it ends by the signal, or a handler that the program has for it is called.
    ///    If all have ended, what was asked of background sessions is made durable first, and
    ///    ``ApplicationDelegate/applicationWillTerminate(_:)`` is called.
    ///
    /// Where there is systemd-logind, an inhibitor delays a shutdown and sleep meanwhile, by as much as
    /// logind allows (`InhibitDelayMaxSec=`, by default 5 s). Expiration handlers are called
    /// ``expirationTimeLimit`` before that is over. A process whose machine sleeps goes on afterwards; tasks
    /// that have not ended stay open, and their handlers are not called again.
    ///
    /// ```swift
    /// let task = Application.shared.beginBackgroundTask(withName: "upload") {
    ///     upload.continueInBackground()
    /// }
    /// defer { Application.shared.endBackgroundTask(task) }
    /// ```
    ///
    /// At a logout a program with a window may lose its display before its grace period is over, and its
    /// toolkit ends it then: give such a program no ``terminationGracePeriod``, so that it hands over at once.
    ///
    /// The signals are taken over when the first task begins, and given back when the last one has ended.
    /// Install handlers of your own, by `signal`, `sigaction` or `g_unix_signal_add`, while no task is
    /// open: a later one replaces this library's. A handler of SIGTERM is called when the tasks have ended,
    /// one of SIGHUP at once, as ever. A signal that is ignored or blocked, or that the program takes by
    /// `signalfd`, does what it does.
    ///
    /// - Important: On Linux a program is not suspended when its window is gone, so that tasks have all the
    ///   time they need until something asks the process to end. Apple's:
    ///   [beginBackgroundTask(withName:expirationHandler:)](https://developer.apple.com/documentation/uikit/uiapplication/beginbackgroundtask(withname:expirationhandler:)).
    /// - Parameters:
    ///   - taskName: For messages about tasks that do not end in time.
    ///   - handler: Called once on the main actor when the time runs out, unless the task has ended by
    ///     then. It has to see to it that the task ends. Without one, the task has that time, too.
    /// - Returns: What to end the task with; ``BackgroundTaskIdentifier/invalid`` if the time has run out
    ///   already. May be called on any thread.
    public func beginBackgroundTask(
        withName taskName: String?,
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> BackgroundTaskIdentifier {
        backgroundTasks.begin(taskName, of: self, expirationHandler: handler)
    }

    /// Begins a task without a name.
    ///
    /// See ``beginBackgroundTask(withName:expirationHandler:)``.
    ///
    /// - Parameter handler: Called once on the main actor when the time runs out, unless the task has
    ///   ended by then.
    /// - Returns: What to end the task with; ``BackgroundTaskIdentifier/invalid`` if the time has run out
    ///   already. May be called on any thread.
    public func beginBackgroundTask(
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> BackgroundTaskIdentifier {
        beginBackgroundTask(withName: nil, expirationHandler: handler)
    }

    /// Ends a background task.
    ///
    /// Every task that has begun must be ended, also when its expiration handler has been called. May be
    /// called on any thread. Nothing happens for a task that has ended, and for
    /// ``BackgroundTaskIdentifier/invalid``.
    ///
    /// - Parameter identifier: What the beginning of the task has returned.
    public func endBackgroundTask(_ identifier: BackgroundTaskIdentifier) {
        backgroundTasks.end(identifier)
    }

    /// How long the program's background tasks have until it is over with them, in seconds.
    ///
    /// `TimeInterval.greatestFiniteMagnitude` while nobody asks the process to end and the machine is not
    /// about to sleep or to shut down. Expiration handlers are called ``expirationTimeLimit`` before it is
    /// 0. May be read on any thread.
    public var backgroundTimeRemaining: TimeInterval {
        backgroundTasks.remaining.map { $0 / .seconds(1) } ?? .greatestFiniteMagnitude
    }

    /// How long background tasks may go on after SIGTERM before their expiration handlers are called, in
    /// seconds.
    ///
    /// Default: 5. With ``expirationTimeLimit`` it is less than the 10 s after which `docker stop` kills,
    /// the shortest such limit that is common, and no longer than a person waits for a logout. systemd
    /// allows 90 s (`TimeoutStopSec=`) before it kills: a program that knows that it runs there may set
    /// more. Read when SIGTERM comes; negative values count as 0, and the largest is a year.
    ///
    /// Has no effect on sleep and shutdown that logind announces: it says how long they wait.
    public var terminationGracePeriod: TimeInterval {
        get { backgroundTasks.limits.grace / .seconds(1) }
        set { backgroundTasks.setGrace(Self.limit(newValue)) }
    }

    /// How long background tasks whose expiration handlers are called have to end, in seconds.
    ///
    /// Also how long the program may take for what comes between the end of its tasks and its own:
    /// making durable what was asked of background sessions, and
    /// ``ApplicationDelegate/applicationWillTerminate(_:)``. When the time is over the process ends in any
    /// case, unless it has a handler of its own for the signal, which is called then.
    ///
    /// Default: 3. Of the 5 s that logind delays a shutdown, 2 s are then left to tasks before their
    /// handlers are called. Read when the handlers are called; negative values count as 0, and the largest
    /// is a year.
    public var expirationTimeLimit: TimeInterval {
        get { backgroundTasks.limits.expiration / .seconds(1) }
        set { backgroundTasks.setExpiration(Self.limit(newValue)) }
    }

    private static func limit(_ seconds: TimeInterval) -> Duration {
        let year: TimeInterval = 365 * 24 * 3600
        // What is no number is no time.
        return .seconds(seconds > 0 ? min(seconds, year) : 0)
    }
}

extension Application {
    /// What a background task is known by.
    ///
    /// The counterpart of `UIBackgroundTaskIdentifier`. Unique in a process, and never used again.
    public struct BackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
        /// The identifier as a number; 0 is that of ``invalid``.
        public let rawValue: Int

        /// An identifier that was kept as a number.
        ///
        /// - Parameter rawValue: The number, which need not be that of a task.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The identifier of no task.
        public static let invalid = Self(rawValue: 0)
    }
}
