public import Foundation

extension Application {
    /// Begins a task that must end, or be handed to the daemon, before the program ends.
    ///
    /// While at least one task is open, SIGTERM and SIGHUP do not end the process at once. Logout, shutdown,
    /// `systemctl stop` and `docker stop` send SIGTERM. SIGHUP follows it at the end of some login sessions, and
    /// is sent alone when a terminal is closed. Instead:
    ///
    /// 1. The tasks continue for up to ``terminationGracePeriod``. A second signal of the same kind ends this
    ///    period.
    /// 2. The expiration handlers of the tasks that are still open are called. These tasks then have
    ///    ``expirationTimeLimit`` to end.
    /// 3. When all tasks have ended, or the time is over, the signal has its former effect: it ends the process,
    ///    or the program's own handler for it is called. If all tasks have ended, calls to background sessions
    ///    are made durable first, and ``ApplicationDelegate/applicationWillTerminate(_:)`` is called.
    ///
    /// With systemd-logind, an inhibitor delays shutdown and sleep in the meantime, for as long as logind allows
    /// (`InhibitDelayMaxSec=`, by default 5 s). Expiration handlers are called ``expirationTimeLimit`` before that
    /// delay is over. After sleep the process continues; tasks that have not ended stay open, and their handlers
    /// are not called again.
    ///
    /// ```swift
    /// let task = Application.shared.beginBackgroundTask(withName: "upload") {
    ///     upload.continueInBackground()
    /// }
    /// defer { Application.shared.endBackgroundTask(task) }
    /// ```
    ///
    /// At logout, a program with a window may lose its display before its grace period is over, and its toolkit
    /// then ends it. Set ``terminationGracePeriod`` to 0 in such a program, so that the handlers are called at once.
    ///
    /// The library takes over the signals when the first task begins, and restores them when the last one has
    /// ended. Install your own handlers, by `signal`, `sigaction` or `g_unix_signal_add`, while no task is open: a
    /// later one replaces this library's. Your handler of SIGTERM is called when the tasks have ended, that of
    /// SIGHUP at once, as always. A signal that is ignored or blocked, or that the program receives by `signalfd`,
    /// keeps its effect.
    ///
    /// - Important: On Linux a program is not suspended when its window is closed, so tasks have unlimited time
    ///   until the process is asked to end. Apple's:
    ///   [beginBackgroundTask(withName:expirationHandler:)](https://developer.apple.com/documentation/uikit/uiapplication/beginbackgroundtask(withname:expirationhandler:)).
    /// - Parameters:
    ///   - taskName: The name to use in messages about tasks that do not end in time.
    ///   - handler: Called once on the main actor when the time runs out, unless the task has ended by
    ///     then. It must cause the task to end. A task without a handler has the same time.
    /// - Returns: The identifier to end the task with; ``BackgroundTaskIdentifier/invalid`` if the time has
    ///   already run out. May be called on any thread.
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
    /// - Returns: The identifier to end the task with; ``BackgroundTaskIdentifier/invalid`` if the time has
    ///   already run out. May be called on any thread.
    public func beginBackgroundTask(
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> BackgroundTaskIdentifier {
        beginBackgroundTask(withName: nil, expirationHandler: handler)
    }

    /// Ends a background task.
    ///
    /// End every task that has begun, even if its expiration handler has been called. May be called on any
    /// thread. Does nothing for a task that has ended, or for ``BackgroundTaskIdentifier/invalid``.
    ///
    /// - Parameter identifier: The identifier that was returned when the task began.
    public func endBackgroundTask(_ identifier: BackgroundTaskIdentifier) {
        backgroundTasks.end(identifier)
    }

    /// The time that the program's background tasks have left, in seconds.
    ///
    /// `TimeInterval.greatestFiniteMagnitude` unless the process was asked to end or the machine is about to
    /// sleep or shut down. Expiration handlers are called ``expirationTimeLimit`` before it reaches 0. May be read
    /// on any thread.
    public var backgroundTimeRemaining: TimeInterval {
        backgroundTasks.remaining.map { $0 / .seconds(1) } ?? .greatestFiniteMagnitude
    }

    /// How long background tasks may continue after SIGTERM or SIGHUP before their expiration handlers are called, in seconds.
    ///
    /// Default: 5. Together with ``expirationTimeLimit`` it is less than the 10 s after which `docker stop` kills,
    /// the shortest common limit, and no longer than a user waits for a logout. systemd allows 90 s
    /// (`TimeoutStopSec=`) before it kills: a program that runs under it may set more. Read when the signal arrives;
    /// negative values count as 0, and the maximum is a year.
    ///
    /// Has no effect on sleep and shutdown that logind announces: logind decides how long they wait.
    public var terminationGracePeriod: TimeInterval {
        get { backgroundTasks.limits.grace / .seconds(1) }
        set { backgroundTasks.setGrace(Self.limit(newValue)) }
    }

    /// How long background tasks have to end once their expiration handlers are called, in seconds.
    ///
    /// Also the time between the end of the tasks and the end of the program, for making calls to background
    /// sessions durable and for ``ApplicationDelegate/applicationWillTerminate(_:)``. When the time is over, the
    /// process ends in any case, unless it has its own handler for the signal, which is then called.
    ///
    /// Default: 3. Of the 5 s that logind delays a shutdown, this leaves tasks 2 s before their handlers are
    /// called. Read when the handlers are called; negative values count as 0, and the maximum is a year.
    public var expirationTimeLimit: TimeInterval {
        get { backgroundTasks.limits.expiration / .seconds(1) }
        set { backgroundTasks.setExpiration(Self.limit(newValue)) }
    }

    private static func limit(_ seconds: TimeInterval) -> Duration {
        let year: TimeInterval = 365 * 24 * 3600
        // NaN counts as 0.
        return .seconds(seconds > 0 ? min(seconds, year) : 0)
    }
}

extension Application {
    /// The identifier of a background task.
    ///
    /// The counterpart of `UIBackgroundTaskIdentifier`. Unique in a process, and never reused.
    public struct BackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
        /// The identifier as a number; 0 is that of ``invalid``.
        public let rawValue: Int

        /// Creates an identifier from a stored number.
        ///
        /// - Parameter rawValue: The number, which need not be that of a task.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// An identifier that belongs to no task.
        public static let invalid = Self(rawValue: 0)
    }
}
