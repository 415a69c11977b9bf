import FerryHTTP

extension Download {
    /// Decides what a download does next; performs nothing itself.
    ///
    /// Requests follow one another: through redirects, for the rest where a server sends less
    /// than was asked for, and once for the whole where the server refuses to continue the bytes
    /// at hand. Those bytes are given up only when the head of something to put in their place
    /// has arrived.
    struct StateMachine {
        private enum State: Equatable {
            /// Nothing has been asked.
            case ready
            /// A request is out and its response's head has not come.
            case requesting
            /// The body of a response that is not the answer is passing by; then comes this.
            case draining(next: Request)
            /// The body of the answer goes to the file.
            case receiving
            /// All bytes are written and are being forced onto the disk.
            case synchronizing
            /// Nothing happens any more.
            case ended
        }

        /// What to ask for.
        struct Request: Hashable {
            /// The request without the fields that ask for the rest.
            var transfer: TransferRequest
            /// What to ask for instead of the whole.
            var resumption: Resumption?
            /// How many redirects led here.
            var redirectCount = 0
        }

        /// The bytes that the file holds when the download starts.
        struct Held: Hashable {
            var byteCount: Int64
            var version: ResourceVersion
            var fruitlessResumptionCount = 0
        }

        /// What the owner must do, in the order given.
        enum Effect: Equatable {
            case send(Request)
            case cancelExchange
            case takeBody
            case skipBody
            /// Give up what the file holds and begin it with bytes of this version.
            case beginFile(ResourceVersion)
            /// Go on at the end of the file, of whose version more may be known now.
            case continueFile(ResourceVersion)
            /// Give up what the file holds, with nothing in its place.
            case discardFile
            /// Compare the first bytes of those that have just arrived with the file's.
            case compare(count: Int, at: Int64)
            /// Write the bytes that have just arrived, without so many of the first.
            case write(dropping: Int)
            case reportRestart(reason: String)
            case reportResponse(HTTPResponseHead, TransferRequest)
            case reportResumption(offset: Int64, total: Int64?)
            case reportProgress(received: Int64, total: Int64?)
            case synchronize
            case finish(DownloadResult)
            case fail(TransferError)
        }

        /// How often in a row a request for the rest may be cut off before a byte of it comes.
        ///
        /// With the default delays of ``RetryPolicy`` that many take a quarter of an hour: a
        /// server that fails at ranges all that time is taken to fail at ranges.
        static let maximumFruitlessResumptionCount = 10

        /// How often in a row a request for the rest was cut off before a byte of it came.
        private(set) var fruitlessResumptionCount = 0
        /// How many bytes the file holds.
        private(set) var receivedByteCount: Int64 = 0
        /// The last request, without the fields that ask for the rest.
        var currentRequest: TransferRequest { current.transfer }
        /// Whether the download is over, so that no event may follow.
        var hasEnded: Bool { state == .ended }

        private var state = State.ready
        private let original: TransferRequest
        private let configuration: Configuration
        private var current: Request
        private var held: Held?
        private var response: HTTPResponseHead?
        private var version: ResourceVersion?
        /// Where the body at hand ends in the resource, if its head tells.
        private var end: Int64?
        /// How many bytes are still to come that the file holds already.
        private var overlapByteCount: Int64 = 0
        private var hasReceivedBytes = false
        private var announcesResumption: Bool

        init(request: TransferRequest, configuration: Configuration) {
            original = request
            current = Request(transfer: request)
            self.configuration = configuration
            announcesResumption = configuration.announcesResumption
        }

        // MARK: - Inputs

        /// What the file holds, and is certain to be of one version, is known now.
        mutating func start(holding held: Held?) -> [Effect] {
            switch state {
            case .ready: break
            // Cancelled before the file was opened.
            case .ended: return []
            case .requesting, .draining, .receiving, .synchronizing: return misuse()
            }
            var resumption: Resumption?
            if let held, held.byteCount > 0, held.version.validator != nil, original.isResumable {
                self.held = held
                receivedByteCount = held.byteCount
                fruitlessResumptionCount = held.fruitlessResumptionCount
                if fruitlessResumptionCount < Self.maximumFruitlessResumptionCount {
                    resumption = Resumption(byteCount: held.byteCount, version: held.version)
                }
            }
            return send(Request(transfer: original, resumption: resumption))
        }

        /// A response's head has come; `now` is what a date in it is related to.
        mutating func receivedHead(_ head: HTTPResponseHead, now: HTTPDate) -> [Effect] {
            switch state {
            case .requesting: break
            case .ended: return []
            case .ready, .draining, .receiving, .synchronizing: return misuse()
            }
            let decision = configuration.redirectPolicy.decision(
                for: head,
                to: current.transfer,
                after: current.redirectCount
            )
            switch decision {
            case .isFinal:
                return answered(head, now: now)
            case .follow(let next):
                return leaveBody(
                    of: head,
                    for: Request(
                        transfer: next,
                        resumption: current.resumption,
                        redirectCount: current.redirectCount + 1
                    )
                )
            case .fail(let error):
                return [.cancelExchange] + fail(error)
            }
        }

        mutating func receivedBytes(count: Int) -> [Effect] {
            switch state {
            case .receiving: break
            case .ended: return []
            case .ready, .requesting, .draining, .synchronizing: return misuse()
            }
            let start = receivedByteCount - overlapByteCount
            if let end, start + Int64(count) > end {
                return [.cancelExchange] + refused("the body is longer than announced")
            }
            hasReceivedBytes = true
            fruitlessResumptionCount = 0
            guard overlapByteCount > 0 else { return [.write(dropping: 0)] }
            let known = Int(min(overlapByteCount, Int64(count)))
            overlapByteCount -= Int64(known)
            return [.compare(count: known, at: start), .write(dropping: known)]
        }

        /// Whether all that comes goes to the end of the file.
        var acceptsPipes: Bool { state == .receiving && overlapByteCount == 0 }

        /// The server sends other bytes than the file holds.
        mutating func compareFailed() -> [Effect] {
            guard state == .receiving else { return [] }
            return [.cancelExchange] + refused("the part differs from what is at hand")
        }

        mutating func wrote(count: Int) -> [Effect] {
            guard state == .receiving else { return [] }
            receivedByteCount += Int64(count)
            return [
                .reportProgress(received: receivedByteCount, total: version?.totalByteCount)
            ]
        }

        /// The file could not be created, written or synchronised.
        mutating func fileFailed(_ error: TransferError) -> [Effect] {
            switch state {
            case .ended: []
            case .ready, .synchronizing: fail(error)
            case .requesting, .draining, .receiving: [.cancelExchange] + fail(error)
            }
        }

        mutating func exchangeFinished(_ error: HTTPError?) -> [Effect] {
            switch state {
            case .requesting:
                return interrupted(
                    error ?? HTTPError(code: .badServerResponse, message: "no response came")
                )
            case .draining(let next):
                // Whatever became of a body that nobody wants.
                return send(next)
            case .receiving:
                return error.map { interrupted($0) } ?? bodyEnded()
            case .ended:
                return []
            case .ready, .synchronizing:
                return misuse()
            }
        }

        mutating func synchronized() -> [Effect] {
            guard state == .synchronizing, let response else { return [] }
            state = .ended
            return [
                .finish(
                    DownloadResult(
                        response: response,
                        currentRequest: current.transfer,
                        byteCount: receivedByteCount
                    )
                )
            ]
        }

        mutating func cancel() -> [Effect] {
            defer { state = .ended }
            switch state {
            case .requesting, .draining, .receiving: return [.cancelExchange]
            case .ready, .synchronizing, .ended: return []
            }
        }

        // MARK: - Answers

        /// The head of an answer to the request, other than a redirect, is there.
        private mutating func answered(_ head: HTTPResponseHead, now: HTTPDate) -> [Effect] {
            if let resumption = current.resumption {
                switch head.status {
                case 206: return partCame(head, for: resumption)
                // The field means nothing here (RFC 9110 §14.4), but a server that sends it with
                // what was asked for may well have sent that.
                case 200 where claimsToBePart(head):
                    return leaveRefusal(head, "the server answers 200 with a part")
                // 304 answers a condition that nobody made.
                case 304, 412, 416: return leaveRefusal(head, "the server answers \(head.status)")
                default: break
                }
            }
            if isUnavailable(head.status), configuration.unavailableResponses == .fail {
                let wait = RetryAfter(head: head, now: now)?.seconds
                if held != nil || wait != nil {
                    let error = TransferError(
                        code: .serverUnavailable,
                        message: "the server answers \(head.status)",
                        retryAfter: wait
                    )
                    return [.cancelExchange] + fail(error)
                }
            }
            if head.status == 206, !current.transfer.hasRange, !coversAll(head) {
                let error = TransferError(
                    code: .badServerResponse,
                    message: "the server sends a part where the whole was asked for"
                )
                return [.cancelExchange] + fail(error)
            }
            return wholeCame(head)
        }

        private mutating func partCame(
            _ head: HTTPResponseHead,
            for resumption: Resumption
        ) -> [Effect] {
            switch resumption.answer(head) {
            case .refused(let reason):
                return leaveRefusal(head, reason)
            case .accepted(let end, let total):
                var version = resumption.version
                version.totalByteCount = total
                self.end = end
                overlapByteCount = receivedByteCount - resumption.offset
                held = Held(byteCount: receivedByteCount, version: version)
                return receive(
                    head,
                    version,
                    [.continueFile(version)],
                    resumedAt: resumption.offset
                )
            }
        }

        /// A body that begins at the first byte takes the place of whatever the file holds.
        private mutating func wholeCame(_ head: HTTPResponseHead) -> [Effect] {
            let isBodiless =
                current.transfer.method == "HEAD" || head.status == 204 || head.status == 304
            let length = isBodiless || head.hasContentCoding ? nil : head.contentLength
            let isContinuable =
                original.isResumable && current.transfer.isResumable
                && (head.status == 200 || head.status == 206)
            let version = ResourceVersion(
                validator: isContinuable ? Validator(head: head) : nil,
                totalByteCount: length,
                url: head.url
            )
            var effects: [Effect] = []
            if held != nil, current.resumption != nil {
                effects.append(.reportRestart(reason: "the server answers \(head.status)"))
            }
            held = nil
            end = length
            receivedByteCount = 0
            overlapByteCount = 0
            return receive(head, version, effects + [.beginFile(version)], resumedAt: 0)
        }

        private mutating func receive(
            _ head: HTTPResponseHead,
            _ version: ResourceVersion,
            _ preparation: [Effect],
            resumedAt offset: Int64
        ) -> [Effect] {
            let isContinuation = offset > 0 && response != nil
            state = .receiving
            hasReceivedBytes = false
            self.version = version
            // The rest of the rest is no news.
            if isContinuation { return preparation + [.takeBody] }
            response = head
            var effects = preparation + [.reportResponse(head, current.transfer)]
            if offset > 0 || announcesResumption {
                announcesResumption = false
                effects.append(
                    .reportResumption(offset: offset, total: version.totalByteCount)
                )
            }
            return effects + [.takeBody]
        }

        /// The exchange ended as it should while a body was coming.
        private mutating func bodyEnded() -> [Effect] {
            let reached = receivedByteCount - overlapByteCount
            if let end, reached < end {
                return fail(
                    TransferError(
                        code: .connectionLost,
                        message: "the body ended at byte \(reached) of \(end)"
                    )
                )
            }
            guard let version, let total = version.totalByteCount, receivedByteCount < total
            else {
                state = .synchronizing
                return [.synchronize]
            }
            // A server may send less than it was asked for (RFC 9110 §14.2); each such part is at
            // least a byte long, so that this comes to an end.
            held = Held(byteCount: receivedByteCount, version: version)
            return send(
                Request(
                    transfer: original,
                    resumption: Resumption(byteCount: receivedByteCount, version: version)
                )
            )
        }

        // MARK: - Failures

        private mutating func interrupted(_ error: HTTPError) -> [Effect] {
            if current.resumption != nil, !hasReceivedBytes {
                switch error.code {
                case .connectionLost, .bodyTooShort, .badServerResponse:
                    fruitlessResumptionCount += 1
                case .unsupportedURL, .badURL, .invalidRequest, .cannotFindHost,
                    .cannotConnectToHost, .notConnectedToInternet, .timedOut,
                    .secureConnectionFailed, .serverCertificateUntrusted,
                    .serverCertificateHasBadDate, .headersTooLarge, .cannotDecodeContent,
                    .writeFailed, .aborted, .outOfMemory, .other:
                    break
                }
            }
            var failure = TransferError(error)
            // What could not be sent is what the server has sent us to.
            if failure.code == .badURL, current.redirectCount > 0 {
                failure.code = .badServerResponse
            }
            return fail(failure)
        }

        /// The server will not continue the bytes at hand; its response's body goes unread.
        private mutating func leaveRefusal(_ head: HTTPResponseHead, _ reason: String) -> [Effect] {
            [.reportRestart(reason: reason)]
                + leaveBody(of: head, for: Request(transfer: original))
        }

        /// The body contradicts its head or the file: nothing of either can be relied on.
        ///
        /// Only to cut the file would not do. Bytes that were forced onto the disk must never
        /// be replaced in the same file: a checkpoint that somebody has kept would vouch for
        /// their successors.
        private mutating func refused(_ reason: String) -> [Effect] {
            receivedByteCount = 0
            overlapByteCount = 0
            held = nil
            guard current.resumption != nil else {
                let error = TransferError(code: .badServerResponse, message: reason)
                return [.discardFile] + fail(error)
            }
            return [.discardFile, .reportRestart(reason: reason)]
                + send(Request(transfer: original))
        }

        /// Sends the next request, after the body at hand where that is shorter than a handshake.
        private mutating func leaveBody(
            of head: HTTPResponseHead,
            for next: Request
        ) -> [Effect] {
            guard let length = head.contentLength, length <= Self.drainedByteCount else {
                return [.cancelExchange] + send(next)
            }
            state = .draining(next: next)
            return [.skipBody]
        }

        private static let drainedByteCount: Int64 = 16 * 1024

        private mutating func send(_ request: Request) -> [Effect] {
            state = .requesting
            current = request
            hasReceivedBytes = false
            return [.send(request)]
        }

        private mutating func fail(_ error: TransferError) -> [Effect] {
            state = .ended
            return [.fail(error)]
        }

        /// An input that cannot come in this state: a fault here or in the engine, which ends this
        /// download and no other.
        private mutating func misuse(_ input: StaticString = #function) -> [Effect] {
            let message = "\(input) while \(stateName)"
            return [.cancelExchange]
                + fail(TransferError(code: .internalFailure, message: message))
        }

        /// The state without what it carries: a request may hold secrets.
        private var stateName: String {
            switch state {
            case .ready: "ready"
            case .requesting: "requesting"
            case .draining: "draining"
            case .receiving: "receiving"
            case .synchronizing: "synchronizing"
            case .ended: "ended"
            }
        }

        private func isUnavailable(_ status: Int) -> Bool {
            status == 408 || status == 429 || (500...599).contains(status)
        }

        private func claimsToBePart(_ head: HTTPResponseHead) -> Bool {
            head.fields.first(named: "Content-Range") != nil && !coversAll(head)
        }

        private func coversAll(_ head: HTTPResponseHead) -> Bool {
            guard let content = ContentRange(head: head), let range = content.range,
                let total = content.totalByteCount
            else { return false }
            return range == 0..<total
        }
    }
}
