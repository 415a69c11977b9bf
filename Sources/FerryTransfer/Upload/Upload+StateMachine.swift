import FerryHTTP

extension Upload {
    /// Decides what an upload does next; performs nothing itself.
    struct StateMachine {
        /// How far the upload has come.
        enum State: Hashable {
            /// Nothing has been sent.
            case ready
            /// The file is being checked.
            case checking
            /// A request was sent, and the response head has not arrived.
            case sending
            /// The response body is being written to its file.
            case receiving
            /// The response is written and is being forced onto the disk.
            case synchronizing
            /// The upload has ended.
            case ended
        }

        /// What the owner must do, in the order given.
        enum Effect: Equatable {
            /// Check that the file is unchanged.
            case checkSource
            case send
            case cancelLoad
            /// Begin the file for the response, without the remains of an earlier attempt.
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

        /// Sends the file if it is unchanged.
        mutating func checkedSource(_ failure: TransferError?) -> [Effect] {
            guard state == .checking else { return [] }
            if let failure { return fail(failure) }
            state = .sending
            return [.send]
        }

        mutating func sent(byteCount: Int64) -> [Effect] {
            // A response may arrive while bytes are still being sent.
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

        /// Handles the end of the load.
        ///
        /// - Parameters:
        ///   - error: The load's error, if any.
        ///   - sourceFailure: The file's failure, which explains the error.
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

        /// The response's file could not be created, written or synchronized.
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
