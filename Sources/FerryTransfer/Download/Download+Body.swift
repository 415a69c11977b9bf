import FerryHTTP
import FerrySystem

extension Download.StateMachine {
    /// A request to send.
    struct Request: Hashable {
        /// The request without the fields that ask for the rest.
        var transfer: TransferRequest
        /// The part to request instead of the whole.
        var resumption: Resumption?
    }

    /// The bytes that the file holds when a request is sent.
    struct Held: Hashable {
        var byteCount: Int64
        var version: ResourceVersion
        var fruitlessResumptionCount = 0
        /// Which bytes those are, where they are not the first ones.
        var segments: ByteRanges?
        /// The odd answer that replaces them if it comes again: it has come before, long enough ago.
        var agreed: OddAnswer?

        /// The request for the missing bytes, or for the first gap.
        var resumption: Resumption? {
            guard version.provesParts else { return comparison }
            guard let segments, let total = version.totalByteCount,
                let gap = segments.gaps(upTo: total).ranges.first
            else { return Resumption(byteCount: byteCount, version: version) }
            return Resumption(gap: gap, version: version)
        }

        /// The request that proves by a comparison that the missing bytes are of the same version.
        var comparison: Resumption? {
            guard version.hasParts else { return nil }
            if let segments { return Resumption(relinking: segments, version: version) }
            return Resumption(
                comparing: byteCount,
                version: version,
                after: fruitlessResumptionCount
            )
        }
    }

    /// How often in a row a request for the rest may be interrupted before a byte of it arrives.
    ///
    /// With the default delays of ``RetryPolicy`` this takes a quarter of an hour: a server that fails at
    /// ranges all that time is assumed not to support them.
    static let maximumFruitlessResumptionCount = 10
}

extension Download {
    /// The bytes in the file, and those that the response to the last request adds to them.
    struct Body {
        typealias Request = StateMachine.Request
        typealias Held = StateMachine.Held

        /// What has come of a response that has ended without an error.
        enum End {
            /// All bytes are in the file.
            case complete
            /// The response is shorter than its head has announced.
            case short(TransferError)
            /// Bytes are missing; this request is for them.
            case partial(Resumption?)
        }

        /// The last request.
        private(set) var request: Request
        /// How many bytes the file holds.
        private(set) var byteCount: Int64 = 0
        /// The version that the file holds, or that the response is of.
        private(set) var version: ResourceVersion?
        /// The bytes that a request can continue.
        private(set) var held: Held?
        /// Where the response ends in the resource, if its head says so.
        private(set) var end: Int64?
        /// How often in a row a request for the rest was interrupted before a byte of it arrived.
        private(set) var fruitlessResumptionCount = 0
        /// The bytes that are sent again for comparison.
        private var proof = Proof()
        private var hasReceivedBytes = false
        /// Whether the app's request allows to continue the bytes.
        private let isResumable: Bool
        private let link: Int?
        /// Whether a comparison has been asked for in this attempt.
        private var hasCompared = false
        /// Whether the file holds bytes of earlier attempts.
        private(set) var holdsEarlierBytes = false
        /// How many bytes the file held when the last request was sent.
        private var byteCountBefore: Int64 = 0

        /// Makes the body of a request, whose address has the given number among those of the resource.
        init(of request: TransferRequest, link: Int?) {
            self.request = Request(transfer: request)
            isResumable = request.isResumable
            self.link = link
        }

        /// The length of the whole, if it is known.
        var totalByteCount: Int64? { version?.totalByteCount }
        /// Where the next byte of the response belongs.
        var position: Int64 { proof.position(in: byteCount) }
        /// Whether all bytes that come are new.
        var isProved: Bool { proof.isComplete }
        /// Whether the response has no bytes but those that the file holds, wherever these are.
        var isOnlyCompared: Bool { proof.isAlone }
        /// Whether the response continues the file's bytes for certain, or begins with its own.
        var isShown: Bool {
            isProved || !proof.isOpen && request.resumption?.isCompared != true
        }
        /// Whether parts can be requested; from a server that has failed at them repeatedly, only the whole.
        var mayRequestParts: Bool {
            isResumable && fruitlessResumptionCount < StateMachine.maximumFruitlessResumptionCount
        }
        /// Which bytes the file holds.
        var written: ByteRanges { held?.segments ?? ByteRanges([0..<byteCount]) }
        /// The gap among the file's bytes that the response fills.
        var gap: Range<Int64>? {
            guard held?.segments != nil, let resumption = request.resumption,
                let gap = resumption.gap, !resumption.isCompared, let end
            else { return nil }
            return gap.lowerBound..<end
        }
        /// The version of the file's bytes, if others can prove that they have the same.
        var provableVersion: ResourceVersion? {
            let known = proof.isOpen ? held?.version : version ?? held?.version
            return isResumable && known?.provesParts == true ? known : nil
        }
        /// The request that continues the bytes in the file.
        var resumption: Resumption? {
            guard let held, held.version.hasParts else { return nil }
            if held.version.link == link { return held.resumption }
            if let written = held.segments {
                return Resumption(relinking: written, version: held.version)
            }
            return Resumption(relinking: held.byteCount, version: held.version)
        }

        // MARK: Requests

        /// Begins with the bytes in the file, if they can be continued; returns whether they can.
        mutating func start(holding held: Held?) -> Bool {
            holdsEarlierBytes = held.map { $0.byteCount > 0 } ?? false
            guard let held, held.byteCount > 0, held.version.validator != nil, isResumable else {
                return false
            }
            self.held = held
            byteCount = held.byteCount
            fruitlessResumptionCount = held.fruitlessResumptionCount
            return true
        }

        /// A request is sent.
        mutating func send(_ request: Request) {
            self.request = request
            hasReceivedBytes = false
            byteCountBefore = byteCount
            if request.resumption?.isCompared == true { hasCompared = true }
        }

        /// Another address answers the request.
        mutating func redirect(to request: TransferRequest) { self.request.transfer = request }

        /// An error has ended the request.
        mutating func interrupt(_ error: TransferError, isRefuted: Bool) {
            guard request.resumption != nil, !hasReceivedBytes,
                error.code == .connectionLost || error.code == .badServerResponse || isRefuted
            else { return }
            fruitlessResumptionCount += 1
        }

        // MARK: Heads

        /// Begins with a response that replaces the file's bytes; returns their version.
        mutating func beginWhole(_ head: HTTPResponseHead) -> ResourceVersion {
            let isBodiless =
                request.transfer.method == "HEAD" || head.status == 204 || head.status == 304
            let isContinuable =
                isResumable && request.transfer.isResumable
                && (head.status == 200 || head.status == 206)
            discard()
            end =
                isBodiless || head.isDecoded
                ? nil : head.contentLength ?? head.partByteCount
            let version = ResourceVersion(
                validator: isContinuable ? Validator(head: head) : nil,
                totalByteCount: end,
                url: head.url,
                link: link,
                coding: head.keptCoding,
                mediaType: head.mediaType,
                sent: ["Date", "Last-Modified"].compactMap { name in
                    head.fields.first(named: name).flatMap { HTTPDate($0)?.secondsSince1970 }
                }.max(),
                hasParts: !head.isWithoutParts
            )
            self.version = version
            return version
        }

        /// Begins with a whole body whose first bytes are compared with those in the file, instead of replacing them.
        ///
        /// - Parameters:
        ///   - head: The head.
        ///   - isKnown: Whether it is of the version that the file holds.
        /// - Returns: The version, which without a proof is the file's only when the bytes have come.
        mutating func beginAgain(_ head: HTTPResponseHead, isKnown: Bool) -> ResourceVersion? {
            guard var version = held?.version else { return nil }
            let total = head.storedLength ?? version.totalByteCount
            let other = isKnown ? nil : otherVersion(head, of: total, like: version)
            version.totalByteCount = total
            version.recordParts(of: head)
            end = head.storedLength
            proof = Proof(byteCount: byteCount, of: other ?? version)
            self.version = other ?? version
            return self.version
        }

        /// Returns the request for a comparison with the file's bytes, once in an attempt, and if they are enough.
        var nextComparison: Resumption? {
            guard !hasCompared, mayRequestParts, let held else { return nil }
            return held.version.link == link ? held.comparison : resumption
        }

        /// Returns the version in a response that is still to be proved the same as a known one.
        private func otherVersion(
            _ head: HTTPResponseHead,
            of total: Int64?,
            like known: ResourceVersion
        ) -> ResourceVersion? {
            guard let validator = Validator(head: head) else { return nil }
            var version = ResourceVersion(
                validator: validator,
                totalByteCount: total,
                url: head.url,
                link: link,
                coding: known.coding,
                mediaType: known.mediaType,
                sent: known.sent,
                hasParts: !head.isWithoutParts
            )
            // Under another address a tag need not mean the same.
            if known.link == link { version.include(known) }
            return version
        }

        /// Begins with a part that continues the file's bytes, up to `end`; returns its version, or `nil` if
        /// nothing can prove it.
        mutating func beginPart(
            _ head: HTTPResponseHead,
            for resumption: Resumption,
            upTo end: Int64,
            of total: Int64
        ) -> ResourceVersion? {
            var version = resumption.version
            version.totalByteCount = total
            if resumption.isCompared {
                // The part begins with the last of the file's bytes, to which its version applies once they have
                // proved to be the same.
                let unproved = otherVersion(head, of: total, like: version)
                let proofEnd = resumption.gap?.upperBound
                // The gaps are asked for by its validator.
                if proofEnd != nil, unproved?.validator?.isStrong != true { return nil }
                proof = Proof(
                    byteCount: (proofEnd ?? byteCount) - resumption.offset,
                    upTo: proofEnd,
                    of: unproved
                )
                version = unproved ?? version
            } else if resumption.gap != nil, held?.segments != nil {
                proof = Proof()
            } else {
                proof = Proof(byteCount: byteCount - resumption.offset)
                held = Held(byteCount: byteCount, version: version)
            }
            self.version = version
            self.end = end
            return version
        }

        // MARK: Bytes

        /// Decides what to do with received bytes; returns `false` if they are more than the head has announced.
        mutating func receive(count: Int, into effects: inout StateMachine.Effects) -> Bool {
            let start = position
            if let limit = end ?? (held == nil ? nil : totalByteCount),
                start + Int64(count) > limit
            {
                return false
            }
            guard !proof.isComplete else {
                recordBytes()
                effects.add(.write(dropping: 0))
                return true
            }
            let known = proof.receive(count: count)
            // Bytes that are compared again and again are no progress.
            if known < count || request.resumption?.isCompared != true { recordBytes() }
            effects.add(.compare(count: known, at: start))
            if let version = proof.conclude() { effects.add(.continueFile(version)) }
            // Bytes that were requested only for comparison are already in the file.
            if !proof.isAlone { effects.add(.write(dropping: known)) }
            return true
        }

        /// The server does send bytes.
        mutating func recordBytes() {
            // A comparison that was short enough this time is about as short the next time.
            let isCompared = request.resumption?.isCompared == true && !hasReceivedBytes
            fruitlessResumptionCount = isCompared ? max(0, fruitlessResumptionCount - 1) : 0
            hasReceivedBytes = true
        }

        /// Records bytes that were written to the file.
        mutating func wrote(count: Int) { byteCount += Int64(count) }

        /// Handles the normal end of the response.
        mutating func finish() -> End {
            let reached = position
            if let end, reached < end {
                let message = "the body ended at byte \(reached) of \(end)"
                return .short(TransferError(code: .connectionLost, message: message))
            }
            guard proof.isComplete else {
                if let resumption = request.resumption, resumption.isCompared {
                    return .partial(comparison(shorterThan: resumption))
                }
                let message = "the body ended at byte \(reached), before the bytes that are here"
                return .short(TransferError(code: .connectionLost, message: message))
            }
            if proof.isAlone, held != nil, let version {
                proof = Proof()
                held?.version = version
                return .partial(held?.resumption)
            }
            guard let version, let total = version.totalByteCount, byteCount < total else {
                return .complete
            }
            // A server may send less than requested (RFC 9110 §14.2).
            held = Held(
                byteCount: byteCount,
                version: version,
                fruitlessResumptionCount: fruitlessResumptionCount
            )
            guard byteCount == byteCountBefore else { return .partial(held?.resumption) }
            // Otherwise the same would be asked for without end.
            guard let resumption = request.resumption else {
                let message = "the server ends the body at byte \(byteCount) of \(total) again"
                return .short(TransferError(code: .connectionLost, message: message))
            }
            return .partial(comparison(shorterThan: resumption))
        }

        /// Returns the request that follows a part too short to prove anything: a shorter comparison, or the whole.
        private mutating func comparison(shorterThan last: Resumption) -> Resumption? {
            proof = Proof()
            fruitlessResumptionCount += 1
            held?.fruitlessResumptionCount = fruitlessResumptionCount
            let next = mayRequestParts ? resumption : nil
            return next == last ? nil : next
        }

        /// Has others than the response continue the file's bytes.
        mutating func handOver(_ version: ResourceVersion) {
            proof = Proof()
            self.version = version
        }

        /// Keeps the bytes of a response that has contradicted itself, until the whole is compared with them.
        ///
        /// - Returns: Their version; `nil` if none of them is new.
        mutating func keepDoubtful() -> ResourceVersion? {
            guard held?.segments == nil, !proof.isOpen, var version else { return nil }
            version.doubtParts()
            held = Held(byteCount: byteCount, version: version)
            self.version = version
            return version
        }

        /// Has a request continue the bytes that several connections have received; returns whether their version
        /// is known.
        mutating func hold(_ written: ByteRanges) -> Bool {
            guard let version else { return false }
            held = Held(byteCount: written.byteCount, version: version, segments: written)
            return true
        }

        /// Keeps bytes that are wrong until others take their place.
        ///
        /// - Parameter written: Which ones they are, where several connections have received them.
        /// - Returns: Their version; `nil` if there are none.
        mutating func refute(_ written: ByteRanges?) -> ResourceVersion? {
            guard byteCount > 0, var version = held?.version ?? version, version.validator != nil
            else { return nil }
            version.refute()
            let segments = written ?? held?.segments
            held = Held(byteCount: byteCount, version: version, segments: segments)
            self.version = version
            proof = Proof()
            return version
        }

        /// The file's bytes are discarded.
        mutating func discard() {
            byteCount = 0
            holdsEarlierBytes = false
            proof = Proof()
            held = nil
        }
    }
}
