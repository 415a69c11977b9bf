public import Foundation

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
    /// others, and notifies its delegate once. Meanwhile the time for a request does not run; that for the whole
    /// resource does. Tasks never wait for servers on this machine. Background sessions always wait.
    public var waitsForConnectivity: Bool {
        get { self[\.waitsForConnectivity] }
        set { self[\.waitsForConnectivity] = newValue }
    }
}
