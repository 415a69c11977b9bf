public import Foundation

extension URLSessionConfiguration {
    /// How long a task waits for more data, in seconds.
    ///
    /// Default: 60. The time begins anew whenever data arrive, and does not run while a task is
    /// suspended or waits for a connection. A request whose own `timeoutInterval` is not `URLRequest`'s
    /// default of 60 uses that instead. Zero or less: no limit.
    ///
    /// When it has passed, a task fails with `URLError.Code.timedOut`; in a background session it is
    /// tried again instead, until ``timeoutIntervalForResource`` has passed.
    public var timeoutIntervalForRequest: TimeInterval {
        get { self[\.timeoutIntervalForRequest] }
        set { self[\.timeoutIntervalForRequest] = newValue }
    }

    /// How long a task may take altogether, in seconds.
    ///
    /// Default: 604800, seven days. Counted from the first ``URLSessionTask/resume()``; outside of
    /// background sessions the time a task is suspended does not count. Includes all waits and all that
    /// is tried again. When it has passed, the task fails with `URLError.Code.timedOut`. Zero or less:
    /// no limit.
    public var timeoutIntervalForResource: TimeInterval {
        get { self[\.timeoutIntervalForResource] }
        set { self[\.timeoutIntervalForResource] = newValue }
    }

    /// Whether tasks wait for a network instead of failing at once.
    ///
    /// Default: false. With true, a task of a default or ephemeral session waits while no route leads off this
    /// machine, tells its delegate so once, and its time for a request does not run meanwhile; that for the
    /// whole resource does. Servers on this machine are never waited for. Background sessions always wait.
    public var waitsForConnectivity: Bool {
        get { self[\.waitsForConnectivity] }
        set { self[\.waitsForConnectivity] = newValue }
    }
}
