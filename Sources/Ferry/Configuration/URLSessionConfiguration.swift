public import Foundation
import Synchronization

/// The behaviour of a URL session: its kind, its time-outs, what it adds to requests.
///
/// A session copies its configuration when it is made. Later changes to the original have no effect
/// on it, and ``URLSession/configuration`` returns a copy, which can be changed and used for another
/// session.
///
/// ```swift
/// let configuration = URLSessionConfiguration.background(withIdentifier: "tracks")
/// configuration.timeoutIntervalForResource = 3600
/// let session = URLSession(configuration: configuration, delegate: downloads, delegateQueue: nil)
/// ```
///
/// Each property says what it does on Linux. Where it says that a property has no effect, the value
/// is kept, copied and returned, so that code for Apple's systems compiles and runs unchanged.
open class URLSessionConfiguration: NSObject, NSCopying, @unchecked Sendable {
    // @unchecked because an open class cannot be checked; the mutex holds all there is.
    private let values: Mutex<Values>

    init(values: Values) {
        var values = values
        // A session's connection settings do not apply to a configuration, which can be changed.
        values.sessionClient = nil
        if values.asksRegisteredClasses {
            values.asksRegisteredClasses = false
            values.protocolClasses = Values.Untyped(ProtocolClass.registered)
        }
        self.values = Mutex(values)
        super.init()
    }

    /// A configuration like ``default``.
    public override convenience init() {
        self.init(values: Values(kind: .default))
    }

    /// A new configuration for sessions that share cookies, credentials and cache with the process.
    ///
    /// Each access returns a new object.
    open class var `default`: URLSessionConfiguration {
        URLSessionConfiguration(values: Values(kind: .default))
    }

    /// A new configuration for sessions that keep cookies, credentials and cache in memory only.
    ///
    /// Each access returns a new object with its own stores.
    open class var ephemeral: URLSessionConfiguration {
        URLSessionConfiguration(values: Values(kind: .ephemeral))
    }

    /// A new configuration for sessions whose transfers are run by the transfer daemon.
    ///
    /// The transfers continue when the app is suspended, crashes or exits, and after a restart of the
    /// machine. The identifier ties a relaunched app to its earlier tasks: make a configuration with
    /// the same identifier and a session with it to get them back.
    ///
    /// - Parameter identifier: A name that is unique within the application; see
    ///   ``Application/identifier``.
    /// - Returns: The configuration.
    /// - Precondition: The identifier is not empty.
    open class func background(withIdentifier identifier: String) -> URLSessionConfiguration {
        precondition(
            !identifier.isEmpty,
            "The identifier of a background session configuration must not be empty."
        )
        return URLSessionConfiguration(values: Values(kind: .background(identifier: identifier)))
    }

    /// A configuration with the same values, independent of this one.
    ///
    /// - Parameter zone: Ignored.
    /// - Returns: A `URLSessionConfiguration`.
    open func copy(with zone: NSZone? = nil) -> Any {
        URLSessionConfiguration(values: snapshot)
    }

    /// The name of the background session; nil for the other kinds.
    ///
    /// Set by ``background(withIdentifier:)`` only.
    open var identifier: String? {
        guard case .background(let identifier) = snapshot.kind else { return nil }
        return identifier
    }

    /// All values at this moment.
    var snapshot: Values { values.withLock { $0 } }

    subscript<Value: Sendable>(path: any WritableKeyPath<Values, Value> & Sendable) -> Value {
        get { values.withLock { $0[keyPath: path] } }
        set { values.withLock { $0[keyPath: path] = newValue } }
    }
}

extension URLSessionConfiguration {
    /// Whether the app is started again when the session's tasks are done and it is not running.
    ///
    /// Default: true. Applies to background sessions only. With false, the events wait until the app makes the
    /// session itself.
    public var sessionSendsLaunchEvents: Bool {
        get { self[\.sessionSendsLaunchEvents] }
        set { self[\.sessionSendsLaunchEvents] = newValue }
    }

    /// Whether the system may choose a good time for transfers.
    ///
    /// Default: false. With true, a background session's tasks run only while the machine is on mains power, saves none,
    /// is on no metered network, and while it is one of the hours that the user has set, if any; meanwhile they wait with
    /// the bytes that they have. A task that a program creates after ferryd has started it in the background is
    /// discretionary in any case. Other sessions ignore it, as on Apple's systems.
    public var isDiscretionary: Bool {
        get { self[\.isDiscretionary] }
        set { self[\.isDiscretionary] = newValue }
    }

    /// The container that an app shares with its extensions.
    ///
    /// Default: nil. On Linux without effect: programs of the same user can read each other's files.
    public var sharedContainerIdentifier: String? {
        get { self[\.sharedContainerIdentifier] }
        set { self[\.sharedContainerIdentifier] = newValue }
    }

    /// Whether connections stay open when the app goes to the background.
    ///
    /// Default: false. On Linux without effect: programs are not suspended when they lose the screen.
    public var shouldUseExtendedBackgroundIdleMode: Bool {
        get { self[\.shouldUseExtendedBackgroundIdleMode] }
        set { self[\.shouldUseExtendedBackgroundIdleMode] = newValue }
    }
}

extension URLSessionConfiguration {
    /// How long a task waits for more data, in seconds.
    ///
    /// Default: 60. The time starts again whenever data arrive, and does not run while a task is
    /// suspended or waits for a connection. A request whose own `timeoutInterval` is not `URLRequest`'s
    /// default of 60 uses that instead. Zero or less: no limit.
    ///
    /// When it has passed, a task fails with `URLError.Code.timedOut`; in a background session it is
    /// retried instead, until ``timeoutIntervalForResource`` has passed.
    public var timeoutIntervalForRequest: TimeInterval {
        get { self[\.timeoutIntervalForRequest] }
        set { self[\.timeoutIntervalForRequest] = newValue }
    }

    /// How long a task may take altogether, in seconds.
    ///
    /// Default: 604800, seven days. Counted from the first ``URLSessionTask/resume()``; outside of
    /// background sessions the time a task is suspended does not count. Includes all waits and retries.
    /// When it has passed, the task fails with `URLError.Code.timedOut`. Zero or less: no limit.
    public var timeoutIntervalForResource: TimeInterval {
        get { self[\.timeoutIntervalForResource] }
        set { self[\.timeoutIntervalForResource] = newValue }
    }

    /// Whether tasks wait for a network instead of failing at once.
    ///
    /// Default: false. With true, a task of a default or ephemeral session waits while this machine has no route to
    /// others, or is in a network that the task must not use, and notifies its delegate once. Meanwhile the time for a
    /// request does not run; that for the whole resource does. Tasks never wait for servers on this machine.
    /// Background sessions always wait.
    public var waitsForConnectivity: Bool {
        get { self[\.waitsForConnectivity] }
        set { self[\.waitsForConnectivity] = newValue }
    }
}
