import FerryHTTP

extension Upload {
    /// Decides what an upload does next; performs nothing itself.
    struct StateMachine {
        /// How far the upload has come.
        enum State: Hashable {
            /// Nothing has been sent.
            case ready
            /// The file is being looked at.
            case checking
            /// A request is out and the answer's head has not come.
            case sending
            /// The answer's body goes to its file.
            case receiving
            /// The answer is written and is being forced onto the disk.
            case synchronizing
            /// Nothing happens any more.
            case ended
        }

        /// What the owner must do, in the order given.
        enum Effect: Equatable {
            /// Compare the file with what it was.
            case checkSource
            case send
            case cancelLoad
            /// Begin the file for the answer, without what an earlier attempt has left.
            case beginAnswer(ResourceVersion)
            /// Write the bytes that have just arrived.
            case write
            case reportSent(Int64)
            case reportResponse(HTTPResponseHead, TransferRequest)
            case reportReceived(Int64, total: Int64?)
            case synchronize
            case finish(UploadResult)
            case fail(TransferError)
        }

        private(set) var state = State.ready
        private let greatestAnswerByteCount: Int64
        private var current: TransferRequest
        private var response: HTTPResponseHead?
        private var total: Int64?
        private var sentByteCount: Int64 = 0
        private var receivedByteCount: Int64 = 0

        init(request: TransferRequest, configuration: Configuration) {
            current = request
            greatestAnswerByteCount = configuration.greatestAnswerByteCount
        }

        /// Whether the upload is over, so that no event may follow.
        var hasEnded: Bool { state == .ended }

        mutating func start() -> [Effect] {
            // Otherwise it was cancelled before.
            guard state == .ready else { return [] }
            state = .checking
            return [.checkSource]
        }

        mutating func cancel() -> [Effect] {
            defer { state = .ended }
            switch state {
            case .sending, .receiving: return [.cancelLoad]
            case .ready, .checking, .synchronizing, .ended: return []
            }
        }

        /// The file is what it was, or is not.
        mutating func checkedSource(_ failure: TransferError?) -> [Effect] {
            guard state == .checking else { return [] }
            if let failure { return fail(failure) }
            state = .sending
            return [.send]
        }

        mutating func sent(byteCount: Int64) -> [Effect] {
            // An answer may come while bytes still leave.
            guard state == .sending || state == .receiving else { return [] }
            sentByteCount = byteCount
            return [.reportSent(byteCount)]
        }

        mutating func receivedHead(
            _ head: HTTPResponseHead,
            to request: TransferRequest
        ) -> [Effect] {
            guard state == .sending else { return [] }
            current = request
            response = head
            total = head.contentLength
            if let total, total > greatestAnswerByteCount { return [.cancelLoad] + failTooLong() }
            state = .receiving
            let version = ResourceVersion(
                validator: nil,
                totalByteCount: total,
                url: request.url
            )
            return [.beginAnswer(version), .reportResponse(head, request)]
        }

        mutating func receivedBytes(count: Int) -> [Effect] {
            guard state == .receiving else { return [] }
            receivedByteCount += Int64(count)
            if receivedByteCount > greatestAnswerByteCount { return [.cancelLoad] + failTooLong() }
            return [.write, .reportReceived(receivedByteCount, total: total)]
        }

        /// The load has ended.
        ///
        /// - Parameters:
        ///   - error: What was wrong with it.
        ///   - sourceFailure: What is wrong with the file, which explains the error.
        /// - Returns: What to do.
        mutating func loadFinished(
            _ error: TransferError?,
            sourceFailure: TransferError?
        ) -> [Effect] {
            switch state {
            case .ended: return []
            case .receiving where error == nil:
                state = .synchronizing
                return [.synchronize]
            case .ready, .checking, .sending, .receiving, .synchronizing:
                let missing = TransferError(code: .badServerResponse, message: "no response came")
                return fail(sourceFailure ?? error ?? missing)
            }
        }

        /// The answer's file could not be created, written or synchronised.
        mutating func fileFailed(_ error: TransferError) -> [Effect] {
            var error = error
            // The same code says that the file to be sent was changed, which this is not.
            if error.code == .fileChanged { error.code = .cannotWriteToFile }
            switch state {
            case .ended: return []
            case .ready, .checking, .synchronizing: return fail(error)
            case .sending, .receiving: return [.cancelLoad] + fail(error)
            }
        }

        mutating func synchronized() -> [Effect] {
            guard state == .synchronizing, let response else { return [] }
            state = .ended
            return [
                .finish(
                    UploadResult(
                        response: response,
                        currentRequest: current,
                        sentByteCount: sentByteCount,
                        receivedByteCount: receivedByteCount
                    )
                )
            ]
        }

        private mutating func failTooLong() -> [Effect] {
            let limit = greatestAnswerByteCount
            return fail(
                TransferError(
                    code: .responseTooLong,
                    message: "the response is longer than \(limit) bytes"
                )
            )
        }

        private mutating func fail(_ error: TransferError) -> [Effect] {
            state = .ended
            return [.fail(error)]
        }
    }
}
