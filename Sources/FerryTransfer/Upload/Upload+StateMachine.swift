import FerryHTTP
import FerrySystem

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
            case reportSent(Int64)
            case reportResponse(HTTPResponseHead, TransferRequest)
            case reportReceived(Int64, total: Int64?)
            case synchronize
            case finish(UploadResult)
            case fail(TransferError)
        }

        /// What the owner must do.
        var effects = EffectQueue<Effect>()
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

        mutating func start() {
            // Otherwise it was cancelled before.
            guard state == .ready else { return }
            state = .checking
            effects.add(.checkSource)
        }

        mutating func cancel() {
            effects.removeAll()
            defer { state = .ended }
            switch state {
            case .sending, .receiving:
                effects.add(.cancelLoad)
            case .ready, .checking, .synchronizing, .ended: break
            }
        }

        /// Sends the file if it is unchanged.
        mutating func checkedSource(_ failure: TransferError?) {
            guard state == .checking else { return }
            if let failure { return fail(failure) }
            state = .sending
            effects.add(.send)
        }

        mutating func sent(byteCount: Int64) {
            // A response may arrive while bytes are still being sent.
            guard state == .sending || state == .receiving else { return }
            sentByteCount = byteCount
            effects.add(.reportSent(byteCount))
        }

        mutating func receivedHead(_ head: HTTPResponseHead, to request: TransferRequest) {
            guard state == .sending else { return }
            current = request
            response = head
            total = head.contentLength
            if let total, total > greatestAnswerByteCount {
                effects.add(.cancelLoad)
                failTooLong()
                return
            }
            state = .receiving
            let version = ResourceVersion(
                validator: nil,
                totalByteCount: total,
                url: request.url
            )
            effects.add(.beginAnswer(version))
            effects.add(.reportResponse(head, request))
        }

        /// Bytes of the response have arrived.
        ///
        /// - Returns: Whether they are to be written; ``wrote()`` or ``fileFailed(_:)`` follows.
        mutating func receivedBytes(count: Int) -> Bool {
            guard state == .receiving else { return false }
            receivedByteCount += Int64(count)
            if receivedByteCount > greatestAnswerByteCount {
                effects.add(.cancelLoad)
                failTooLong()
                return false
            }
            return true
        }

        /// Bytes of the response are in the file.
        mutating func wrote() {
            guard state == .receiving else { return }
            effects.add(.reportReceived(receivedByteCount, total: total))
        }

        /// Handles the end of the load.
        ///
        /// - Parameters:
        ///   - error: The load's error, if any.
        ///   - sourceFailure: The file's failure, which explains the error.
        mutating func loadFinished(_ error: TransferError?, sourceFailure: TransferError?) {
            switch state {
            case .ended: break
            case .receiving where error == nil:
                state = .synchronizing
                effects.add(.synchronize)
            case .ready, .checking, .sending, .receiving, .synchronizing:
                let missing = TransferError(code: .badServerResponse, message: "no response came")
                fail(sourceFailure ?? error ?? missing)
            }
        }

        /// The response's file could not be created, written or synchronized.
        mutating func fileFailed(_ error: TransferError) {
            guard !hasEnded else { return }
            effects.removeAll()
            var error = error
            // The same code says that the file to be sent was changed, which this is not.
            if error.code == .fileChanged { error.code = .cannotWriteToFile }
            switch state {
            case .ended: break
            case .ready, .checking, .synchronizing:
                fail(error)
            case .sending, .receiving:
                effects.add(.cancelLoad)
                fail(error)
            }
        }

        mutating func synchronized() {
            guard state == .synchronizing, let response else { return }
            state = .ended
            effects.add(
                .finish(
                    UploadResult(
                        response: response,
                        currentRequest: current,
                        sentByteCount: sentByteCount,
                        receivedByteCount: receivedByteCount
                    )
                )
            )
        }

        private mutating func failTooLong() {
            let limit = greatestAnswerByteCount
            fail(
                TransferError(
                    code: .responseTooLong,
                    message: "the response is longer than \(limit) bytes"
                )
            )
        }

        private mutating func fail(_ error: TransferError) {
            state = .ended
            effects.add(.fail(error))
        }
    }
}
