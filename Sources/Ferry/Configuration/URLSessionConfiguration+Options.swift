extension URLSessionConfiguration {
    /// Options for the session's tasks that Apple's URLSession does not have.
    ///
    /// Default: options that change nothing. Each task can have different ones: ``URLSessionTask/transferOptions``.
    public var transferOptions: TransferOptions {
        get { self[\.transferOptions] }
        set { self[\.transferOptions] = newValue }
    }

    /// Whether the delegate is asked for another request when a download's address has expired.
    ///
    /// Default: false, as in Apple's library: the server's response is the download's result. With true, a
    /// response with the status 401, 403 or 410 calls the delegate's
    /// `urlSession(_:task:needsNewRequestAfter:completionHandler:)`, and the bytes received so far are kept as
    /// described at ``URLSessionDownloadTask/relink(to:)``. The app of a background session is started for that if
    /// it is not running.
    public var replacesExpiredLinks: Bool {
        get { self[\.replacesExpiredLinks] }
        set { self[\.replacesExpiredLinks] = newValue }
    }

    /// Whether challenges are among the ``URLSession/events`` of a background session without a delegate.
    ///
    /// Default: false: credentials in the `urlCredentialStorage` are used, servers are trusted by the system's authorities, and a
    /// refusal is the response. With true, each challenge waits until the app's loop has answered it, and the app is started for
    /// that if it is not running; so do decisions about servers that the system trusts, since the app may pin
    /// certificates. Has no effect in other sessions. Apple's library has no such property.
    public var deliversChallenges: Bool {
        get { self[\.deliversChallenges] }
        set { self[\.deliversChallenges] = newValue }
    }

    /// Whether the app is started again as soon as one of the session's tasks is done.
    ///
    /// Default: false, as in Apple's library: the app is started when all of them are done. With true, each file is
    /// delivered when it is complete, however long the others take. The app is started with the session's
    /// identifier even while another process of it runs, as long as none has this session open: for programs that
    /// have a process for each session, such as the `ferry` command. Applies only to background sessions with
    /// ``sessionSendsLaunchEvents``.
    public var sessionSendsLaunchEventsForEachTask: Bool {
        get { self[\.sessionSendsLaunchEventsForEachTask] }
        set { self[\.sessionSendsLaunchEventsForEachTask] = newValue }
    }

    /// The maximum size in bytes, after decompression, of a response's body that a task collects in memory.
    ///
    /// Default: 512 MiB. Values below 0 count as 0. A longer body fails its task with
    /// `URLError.Code.dataLengthExceedsMaximum`: a response of a few hundred kilobytes may decompress to gigabytes, and
    /// would end the process. Applies to data and upload tasks with a completion handler, and to `data(for:)` and
    /// `upload(for:from:)`. There is no limit for a delegate and ``URLSession/bytes(for:delegate:)``, which get the
    /// body in parts, and for a download task, which has it in a file. In background sessions it has no effect: the
    /// response to an upload may have 16 MiB. For WebSocket tasks there is
    /// ``URLSessionWebSocketTask/maximumMessageSize``.
    public var maximumInMemoryBodySize: Int {
        get { self[\.maximumInMemoryBodySize] }
        set { self[\.maximumInMemoryBodySize] = max(newValue, 0) }
    }

    /// The maximum number of bytes per second that all the session's tasks together receive.
    ///
    /// Default: nil, for no limit. Values below 1 count as 1. Tasks share it by ``URLSessionTask/priority``: a priority
    /// of 1 gets four times as much as the default of 0.5, and 0 gets a quarter of the default. It can be changed
    /// later: ``URLSession/setMaximumRates(receive:send:)``.
    public var maximumReceiveRate: Int64? {
        get { self[\.maximumReceiveRate] }
        set { self[\.maximumReceiveRate] = newValue.map { max($0, 1) } }
    }

    /// The maximum number of bytes per second that all the session's tasks together send.
    ///
    /// See ``maximumReceiveRate``.
    public var maximumSendRate: Int64? {
        get { self[\.maximumSendRate] }
        set { self[\.maximumSendRate] = newValue.map { max($0, 1) } }
    }
}
