import FerryStore
import FerryWire

// The memory for sessions is limited: for each one, for those of an application, and for all. An existing session is
// refused only if it grows: otherwise its files would never reach the application that waits for them.
extension DaemonStateMachine {
    /// The size of a session's configuration, now and before, in bytes.
    struct SessionSize: Hashable, Sendable {
        /// The size now.
        let byteCount: Int
        /// The size before; `nil` for a session that does not exist.
        let present: Int?

        init(_ byteCount: Int, growingFrom session: Session?) {
            self.byteCount = byteCount
            present = session?.configurationByteCount
        }
    }

    /// Returns the number of bytes by which all sessions grow with one of such a size.
    func growth(_ size: SessionSize) -> Int {
        max(0, weight(size.byteCount) - (size.present.map { weight($0) } ?? 0))
    }

    /// Returns the number of bytes that a session counts as, given the size of its configuration.
    private func weight(_ byteCount: Int) -> Int { max(byteCount, policy.minimumSessionByteCount) }

    /// Returns why an application may not have a session of such a size, if it may not.
    func excess(of size: SessionSize, in application: String) -> TransferInterfaceError? {
        let growth = growth(size)
        guard growth > 0 else { return nil }
        if size.byteCount > policy.maximumConfigurationByteCount {
            let limit = policy.maximumConfigurationByteCount
            return .invalidRequest(
                parameter: "configuration",
                reason: """
                    a session's configuration has \(limit) bytes at most, with its header fields, not \(size.byteCount)
                    """
            )
        }
        let limit = policy.maximumSessionByteCountPerApplication
        if weight(ofApplication: application) + growth > limit {
            return tooMuch("an application's sessions have", limit)
        }
        let all = sessions.values.reduce(0) { $0 + weight($1.configurationByteCount) }
        guard
            sessions.openings.values.reduce(all, { $0 + $1.growth }) + growth
                > policy.maximumSessionByteCount
        else { return nil }
        return tooMuch("all sessions have", policy.maximumSessionByteCount)
    }

    /// Returns the number of bytes that an application's sessions count as, including those being opened.
    private func weight(ofApplication application: String) -> Int {
        let id = applications[named: application]?.record.id
        let present = sessions.values.reduce(0) { sum, session in
            session.applicationID == id ? sum + weight(session.configurationByteCount) : sum
        }
        return sessions.openings.values.reduce(present) { sum, opening in
            opening.application == application ? sum + opening.growth : sum
        }
    }

    private func tooMuch(_ subject: String, _ limit: Int) -> TransferInterfaceError {
        .invalidRequest(
            parameter: "configuration",
            reason: """
                \(subject) \(limit) bytes together at most, and each counts as \(policy.minimumSessionByteCount) at \
                least; one that is no longer needed is to be invalidated, and goes with its last task
                """
        )
    }
}
