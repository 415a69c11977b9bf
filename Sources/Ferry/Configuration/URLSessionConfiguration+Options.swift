extension URLSessionConfiguration {
    /// How the session's tasks are carried out, beyond what Apple's URLSession lets an app say.
    ///
    /// Default: options that change nothing. Each task can have other ones: ``URLSessionTask/transferOptions``.
    public var transferOptions: TransferOptions {
        get { self[\.transferOptions] }
        set { self[\.transferOptions] = newValue }
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
