import FerryWire

extension BackgroundCall {
    /// The consequence of the daemon's answer to a call.
    enum Consequence {
        case done
        case refused(TransferDaemonError)
        /// The call is repeated, with all after it, on another connection; endlessly, unless the call itself
        /// makes the daemon fail.
        case reconnect(isEndless: Bool)
        /// The connection is lost, which is handled where that is noticed.
        case none
    }

    /// Returns the consequence of an answer.
    ///
    /// - Parameter error: Why the call was not carried out; nil if it was.
    /// - Returns: What to do with the call.
    func consequence(of error: CallError?) -> Consequence {
        switch error {
        case nil: .done
        case .refused(let refusal): consequence(of: refusal)
        case .connectionClosed, .invalidReply: .none
        case .some(let error): .refused(TransferDaemonError(error))
        }
    }

    private func consequence(of refusal: TransferInterfaceError) -> Consequence {
        let error = TransferDaemonError(.refused(refusal))
        switch refusal {
        case .taskNotFound:
            // It has ended in the meantime.
            return .done
        case .sessionNotOpen:
            return .reconnect(isEndless: true)
        case .storeUnavailable, .internalFailure:
            // A task that does not exist yet can fail; a call about an existing task must not be lost.
            if case .create = self { return .refused(error) }
            // A full disk will have space again.
            if case .storeUnavailable = refusal { return .reconnect(isEndless: true) }
            return .reconnect(isEndless: false)
        case .sessionInUse, .applicationNotFound, .invalidRequest, .limitExceeded,
            .permissionDenied:
            return .refused(error)
        }
    }
}
