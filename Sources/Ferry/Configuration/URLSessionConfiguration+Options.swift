extension URLSessionConfiguration {
    /// How the session's tasks are carried out, beyond what Apple's URLSession lets an app say.
    ///
    /// Default: options that change nothing. Each task can have other ones: ``URLSessionTask/transferOptions``.
    public var transferOptions: TransferOptions {
        get { self[\.transferOptions] }
        set { self[\.transferOptions] = newValue }
    }

    /// Whether the delegate is asked for another request when a download's address has expired.
    ///
    /// Default: false, as in Apple's library: what the server answers is the download's result. With true, an
    /// answer with the status 401, 403 or 410 has the delegate's
    /// `urlSession(_:task:needsNewRequestAfter:completionHandler:)` called, and the bytes that are there are
    /// kept as ``URLSessionDownloadTask/relink(to:)`` tells. The app of a background session is started for that
    /// if it is not there.
    public var replacesExpiredLinks: Bool {
        get { self[\.replacesExpiredLinks] }
        set { self[\.replacesExpiredLinks] = newValue }
    }

    /// Whether the app is started again as soon as one of the session's tasks is done.
    ///
    /// Default: false, as in Apple's library: when all of them are. With true, each file is handed over when it
    /// is there, however long the others take. The app is started with the session's identifier also while
    /// another process of it runs, as long as none has this session open: for programs that have a process for
    /// each session, as the `ferry` command has. Means something in background sessions with
    /// ``sessionSendsLaunchEvents`` only.
    public var sessionSendsLaunchEventsForEachTask: Bool {
        get { self[\.sessionSendsLaunchEventsForEachTask] }
        set { self[\.sessionSendsLaunchEventsForEachTask] = newValue }
    }

    /// The length in bytes that a response's body may have that a task collects in memory, decompressed.
    ///
    /// Default: 512 MiB. Values below 0 count as 0. A longer one ends its task with
    /// `URLError.Code.dataLengthExceedsMaximum`: a response of a few hundred kilobytes may become one of gigabytes when
    /// it is decompressed, and would end the process. Holds for data and upload tasks with a completion handler, and for
    /// `data(for:)` and `upload(for:from:)`. A delegate and ``URLSession/bytes(for:delegate:)`` get the body in parts,
    /// and a download task has it in a file, so that there is no limit. In background sessions it has no effect: the
    /// response to an upload may have 16 MiB. For WebSocket tasks there is
    /// ``URLSessionWebSocketTask/maximumMessageSize``.
    public var maximumInMemoryBodySize: Int {
        get { self[\.maximumInMemoryBodySize] }
        set { self[\.maximumInMemoryBodySize] = max(newValue, 0) }
    }

    /// How many bytes of all the session's tasks together may arrive per second.
    ///
    /// Default: nil, for as many as can. Values below 1 count as 1. What the tasks get of it follows from their
    /// ``URLSessionTask/priority``: with 1, four times as much as with the default of 0.5, with 0 a quarter of
    /// that. It can be changed later: ``URLSession/setMaximumRates(receive:send:)``.
    public var maximumReceiveRate: Int64? {
        get { self[\.maximumReceiveRate] }
        set { self[\.maximumReceiveRate] = newValue.map { max($0, 1) } }
    }

    /// How many bytes of all the session's tasks together may leave per second.
    ///
    /// See ``maximumReceiveRate``.
    public var maximumSendRate: Int64? {
        get { self[\.maximumSendRate] }
        set { self[\.maximumSendRate] = newValue.map { max($0, 1) } }
    }
}
