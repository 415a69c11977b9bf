import Foundation
import Synchronization

/// The running program, as background transfers see it.
///
/// A background session outlives its app: when the session's transfers are done and the app is not
/// running, the transfer daemon starts the app again. With `Application`, a program sets the name by which
/// the daemon knows it, how it is started, and which delegate handles the events that it was started for.
/// It takes the place of `UIApplication` and `UIApplicationDelegate`.
///
/// ```swift
/// @main
/// struct Fetch {
///     static func main() async throws {
///         Application.shared.delegate = FetchDelegate.shared
///         switch Application.shared.launchReason {
///         case .user: try await FetchDelegate.shared.startDownloads()
///         case .backgroundURLSession: await Application.shared.runUntilBackgroundEventsAreHandled()
///         }
///     }
/// }
/// ```
///
/// A program without background sessions does not need this class.
public final class Application: Sendable {
    /// The application of this process.
    ///
    /// The first access reads and removes the environment variable in which the daemon passes what the
    /// program was started for, so that child processes do not seem to be relaunched. Access it early in
    /// `main`.
    public static let shared = Application(environment: .live)

    struct State {
        var delegate: (any ApplicationDelegate)?
        var identifier: String
        var isIdentifierFixed = false
        var relaunch: Relaunch?
        /// Whether the program takes the events of a session without a delegate.
        var takesEvents = false
        /// Whether the program has set how it is started.
        var isRelaunchChosen = false
        var launchEvents: LaunchEvents
    }

    /// Why this process was started.
    public let launchReason: LaunchReason

    let backgroundTasks: BackgroundTasks
    private let state: Mutex<State>
    private let flush: @Sendable () async -> Void
    private let register: @Sendable () -> Void

    init(environment: Environment) {
        launchReason = environment.launchReason
        flush = environment.flush
        register = environment.register
        backgroundTasks = BackgroundTasks(flush: environment.flush)
        state = Mutex(
            State(
                identifier: environment.executablePath,
                relaunch: environment.relaunch,
                launchEvents: LaunchEvents(reason: environment.launchReason)
            )
        )
    }

    /// The object that handles system events for the program.
    ///
    /// Default: nil. Held strongly, until it is replaced. Set it before ``run()``,
    /// ``runUntilBackgroundEventsAreHandled()`` or ``deliverBackgroundEvents()``. A program that never sets one
    /// handles no events of background sessions, and is not started for them; see ``relaunch``.
    public var delegate: (any ApplicationDelegate)? {
        get { state.withLock { $0.delegate } }
        set {
            let isFirst = state.withLock { state in
                defer { state.delegate = newValue }
                return state.delegate == nil && newValue != nil && state.isIdentifierFixed
            }
            // Its sessions are already open, and the daemon assumes that the program does not handle their events.
            if isFirst { register() }
        }
    }

    /// The name by which the transfer daemon knows the program, unique for its user.
    ///
    /// Background session identifiers have to be unique only within an application, and a relaunched
    /// program finds its tasks again by this name. Default: the path of the program's own executable.
    /// Set a name of your own, such as `"org.example.HalfTunes"`, when the executable may move
    /// between launches or is shared by several programs (an interpreter, for example).
    ///
    /// - Precondition: not empty, and set before the first background session is made.
    public var identifier: String {
        get { state.withLock { $0.identifier } }
        set {
            precondition(!newValue.isEmpty, "An application's identifier must not be empty.")
            state.withLock { state in
                precondition(
                    !state.isIdentifierFixed || state.identifier == newValue,
                    "The application's identifier must be set before its first background session."
                )
                state.identifier = newValue
            }
        }
    }

    /// How the transfer daemon starts the program again for its background sessions.
    ///
    /// Default: the program's own executable with its present arguments, in its present working
    /// directory, with ``Relaunch/defaultEnvironmentNames`` of its environment. Registered with the
    /// daemon whenever a background session is made; listed and removable by `ferry hooks`.
    ///
    /// The default is registered only once ``delegate`` is set: a program that does not handle the events that it is
    /// started for would only repeat its usual work, such as another download. If another program handles the events,
    /// set this property to that program.
    ///
    /// nil: the program is never started again; events wait until it makes the session itself, as
    /// with ``URLSessionConfiguration/sessionSendsLaunchEvents`` set to false.
    public var relaunch: Relaunch? {
        get { state.withLock { $0.relaunch } }
        set {
            state.withLock { state in
                state.relaunch = newValue
                state.isRelaunchChosen = true
            }
        }
    }

    /// How the daemon starts the program; nil unless ``relaunch`` or ``delegate`` is set, or it takes events without one.
    var registeredRelaunch: Relaunch? {
        state.withLock { state in
            state.isRelaunchChosen || state.delegate != nil || state.takesEvents
                ? state.relaunch : nil
        }
    }

    /// Records that the program takes the events of a session without a delegate, also when it is started for them.
    func takesEvents() {
        let isNews = state.withLock { state in
            defer { state.takesEvents = true }
            return !state.takesEvents && !state.isRelaunchChosen && state.delegate == nil
        }
        // Its sessions are already open, and the daemon assumes that the program does not handle their events.
        if isNews { register() }
    }

    /// Whether this process was started for the events of the background session `identifier`.
    func wasLaunched(forBackgroundURLSession identifier: String) -> Bool {
        launchReason == .backgroundURLSession(identifier: identifier)
    }

    /// Returns the identifier, and prevents further changes to it.
    func fixIdentifier() -> String {
        state.withLock { state in
            state.isIdentifierFixed = true
            return state.identifier
        }
    }
}

// MARK: - Running

extension Application {
    /// Delivers the events that this process was started for to the delegate.
    ///
    /// Calls ``ApplicationDelegate/application(_:handleEventsForBackgroundURLSession:completionHandler:)``
    /// once, if ``launchReason`` is ``LaunchReason/backgroundURLSession(identifier:)``. Otherwise, and when
    /// called again, it does nothing. Programs with their own main loop, such as GTK's, call it when they have
    /// finished starting.
    @preconcurrency @MainActor
    public func deliverBackgroundEvents() {
        guard let identifier = state.withLock({ $0.launchEvents.deliver() }) else { return }
        guard let delegate else {
            Diagnostics.report(
                "The program was started for the background session \"\(identifier)\", "
                    + "but Application.shared.delegate is not set; the events wait."
            )
            backgroundEventsWereHandled()
            return
        }
        delegate.application(self, handleEventsForBackgroundURLSession: identifier) {
            self.backgroundEventsWereHandled()
        }
    }

    /// Delivers the events that this process was started for to the delegate, then runs the main run loop.
    ///
    /// For programs without a main loop of their own. The program ends by calling `exit`.
    ///
    /// - Precondition: Called on the main thread, from a `main` that is not `async`. In an `async` `main`, the main
    ///   actor is already running: call ``deliverBackgroundEvents()`` or ``runUntilBackgroundEventsAreHandled()``
    ///   there.
    @preconcurrency @MainActor
    public func run() -> Never {
        precondition(Thread.isMainThread, "Application.run() must be called on the main thread.")
        deliverBackgroundEvents()
        while true {
            RunLoop.main.run()
        }
    }

    /// Handles the events this process was started for, and returns when that is done.
    ///
    /// Calls ``ApplicationDelegate/application(_:handleEventsForBackgroundURLSession:completionHandler:)``
    /// on the main actor, waits until its completion handler has been called, and then until the
    /// daemon has acknowledged everything that was delivered, so that the program may exit.
    /// Returns at once when ``launchReason`` is ``LaunchReason/user``, and also when the delegate
    /// is missing, and early when the surrounding Swift task is cancelled: what was not acknowledged by
    /// then is delivered again to the next process. For command-line programs; requires that the main thread is free to run the
    /// main actor, as it is in an `async` `main`.
    public func runUntilBackgroundEventsAreHandled() async {
        await deliverBackgroundEvents()
        await valueUnlessCancelled(orElse: ()) { finish in
            Task {
                await backgroundEventsAreHandled()
                await flush()
                finish(())
            }
        }
    }

    private func backgroundEventsAreHandled() async {
        await withCheckedContinuation { continuation in
            let isHandled = state.withLock { $0.launchEvents.wait(continuation) }
            if isHandled {
                continuation.resume()
            }
        }
    }

    private func backgroundEventsWereHandled() {
        let waiting = state.withLock { $0.launchEvents.wereHandled() }
        for continuation in waiting {
            continuation.resume()
        }
    }
}

extension Application {
    /// Why a process was started.
    public enum LaunchReason: Hashable, Sendable {
        /// A person, a shell or another program started it.
        case user
        /// The transfer daemon started it, for the events of the background session `identifier`.
        case backgroundURLSession(identifier: String)
    }
}
