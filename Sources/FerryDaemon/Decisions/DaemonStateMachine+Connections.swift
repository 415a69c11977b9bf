extension DaemonStateMachine {
    /// Lends a download a further connection, where there is more than one to spare.
    mutating func lendConnection(session: Int64, host: String) -> Bool {
        let limit = sessionLimit(session)
        guard !isStopping, budget.canLend(session: session, host: host, sessionLimit: limit) else {
            return false
        }
        budget.take(session: session, of: sessions[session]?.applicationID ?? 0, host: host)
        return true
    }

    /// Takes back a connection that was lent.
    ///
    /// - Returns: Whether a task may have waited for it, so that the owner is to look for one.
    mutating func takeBackConnection(session: Int64, host: String) -> Bool {
        let isAwaited = budget.isFull(
            session: session,
            host: host,
            sessionLimit: sessionLimit(session)
        )
        budget.give(session: session, host: host)
        // A host that fails is asked by one connection, and that may have been this one.
        return isAwaited || breaker.hasFailed(host)
    }
}
