extension URLSession {
    /// Changes the rate limits for all of the session's tasks together, from now on.
    ///
    /// In a background session they apply until the app opens the session again, with the rates of its configuration.
    /// The tasks share the rates as described at ``URLSessionConfiguration/maximumReceiveRate``.
    ///
    /// - Parameters:
    ///   - receive: The maximum number of bytes received per second; nil for no limit. Values below 1 count as 1.
    ///   - send: The maximum number of bytes sent per second; nil for no limit. Values below 1 count as 1.
    public func setMaximumRates(receive: Int64?, send: Int64?) {
        core.backend.ratesChanged(
            receive: receive.map { max($0, 1) },
            send: send.map { max($0, 1) }
        )
    }
}
