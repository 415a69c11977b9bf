import Foundation
import Synchronization

/// The running program, as far as background transfers need to know it.
///
/// A background session outlives its app: when the session's transfers are done and the app is not
/// running, the transfer daemon starts the app again. `Application` is the place where a program
/// says under which name the daemon knows it, how it is started, and who handles the events that
/// it was started for. It stands in for what `UIApplication` and `UIApplicationDelegate` offer.
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
/// A program that opens no background session needs nothing of this.
public final class Application: Sendable {
    /// The application of this process.
    ///
    /// The first access reads the environment variable by which the daemon tells a program what it
    /// was started for, and removes it, so that programs started by this one do not take
    /// themselves for relaunched. Access it early in `main`.
    public static let shared = Application(environment: .live)

    struct State {
        var delegate: (any ApplicationDelegate)?
        var identifier: String
        var isIdentifierFixed = false
        var relaunch: Relaunch?
        /// Whether the program has said how it is started.
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

    /// The object that handles what the system tells the program.
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
            // Its sessions were opened before, and the daemon thinks that nobody handles their events.
            if isFirst { register() }
        }
    }

    /// The name under which the transfer daemon knows the program, unique for its user.
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
    /// started for would only do once more what it does anyway, such as make another download. One whose events
    /// another program handles sets a value that says so.
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

    /// How the daemon is to start the program: not at all, unless it handles what it is started for.
    var registeredRelaunch: Relaunch? {
        state.withLock { state in
            state.isRelaunchChosen || state.delegate != nil ? state.relaunch : nil
        }
    }

    /// Whether this process was started for the events of the background session `identifier`.
    func wasLaunched(forBackgroundURLSession identifier: String) -> Bool {
        launchReason == .backgroundURLSession(identifier: identifier)
    }

    /// The identifier, which from now on cannot be changed any more.
    func fixIdentifier() -> String {
        state.withLock { state in
            state.isIdentifierFixed = true
            return state.identifier
        }
    }
}

// MARK: - Running

extension Application {
    /// Hands the delegate the events this process was started for.
    ///
    /// Calls ``ApplicationDelegate/application(_:handleEventsForBackgroundURLSession:completionHandler:)``
    /// once, when ``launchReason`` is ``LaunchReason/backgroundURLSession(identifier:)``; does nothing
    /// else, and nothing when called again. For programs with a main loop of their own, such as
    /// GTK's: call it when the program has finished starting.
    @MainActor
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

    /// Hands the delegate the events this process was started for, then runs the main run loop.
    ///
    /// For programs without a main loop of their own. The program ends by calling `exit`.
    ///
    /// - Precondition: Called on the main thread, from a `main` that is not `async`. An `async` one has the
    ///   main actor running already: call ``deliverBackgroundEvents()`` there, or
    ///   ``runUntilBackgroundEventsAreHandled()``.
    @MainActor
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
    /// daemon has taken note of everything that was delivered, so that the program may exit.
    /// Returns at once when ``launchReason`` is ``LaunchReason/user``, and also when the delegate
    /// is missing. For command-line programs; requires that the main thread is free to run the
    /// main actor, as it is in an `async` `main`.
    public func runUntilBackgroundEventsAreHandled() async {
        await deliverBackgroundEvents()
        await withCheckedContinuation { continuation in
            let isHandled = state.withLock { $0.launchEvents.wait(continuation) }
            if isHandled {
                continuation.resume()
            }
        }
        await flush()
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
