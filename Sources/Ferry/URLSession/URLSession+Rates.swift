extension URLSession {
    /// Changes how fast all the session's tasks together may load and send, from now on.
    ///
    /// In a background session it holds until the app opens the session again, with what its configuration says
    /// then. What ``URLSessionConfiguration/maximumReceiveRate`` tells of the shares of the tasks is true here.
    ///
    /// - Parameters:
    ///   - receive: How many bytes may arrive per second; nil for as many as can. Values below 1 count as 1.
    ///   - send: How many bytes may leave per second; nil for as many as can. Values below 1 count as 1.
    public func setMaximumRates(receive: Int64?, send: Int64?) {
        core.backend.ratesChanged(
            receive: receive.map { max($0, 1) },
            send: send.map { max($0, 1) }
        )
    }
}
