import FerryHTTP

extension Download {
    /// Decides what a download does next; performs nothing itself.
    ///
    /// Requests follow one another: for the rest if a server sends less than requested, and once for the whole
    /// if the server refuses to continue the existing bytes. Those are discarded only when the head of a
    /// replacement has arrived.
    struct StateMachine {
        /// How far the download has come.
        enum State: Equatable {
            /// Nothing has been requested.
            case ready
            /// A request was sent, and its response head has not arrived.
            case requesting
            /// The body of a response that is not final is being skipped; this request comes next.
            case draining(next: Request)
            /// The response body is being written to the file.
            case receiving
            /// All bytes are written and are being forced onto the disk.
            case synchronizing
            /// All bytes are being compared with their digests.
            case verifying
            /// The download has ended.
            case ended
        }

        /// A request to send.
        struct Request: Hashable {
            /// The request without the fields that ask for the rest.
            var transfer: TransferRequest
            /// The part to request instead of the whole.
            var resumption: Resumption?
        }

        /// The bytes that the file holds when the download starts.
        struct Held: Hashable {
            var byteCount: Int64
            var version: ResourceVersion
            var fruitlessResumptionCount = 0
            /// Which bytes those are, where they are not the first ones.
            var segments: ByteRanges?

            /// The request for the missing bytes, or for the first gap.
            var resumption: Resumption? {
                guard let segments, let total = version.totalByteCount,
                    let gap = segments.gaps(upTo: total).ranges.first
                else { return Resumption(byteCount: byteCount, version: version) }
                return Resumption(gap: gap, version: version)
            }
        }

        /// How often in a row a request for the rest may be interrupted before a byte of it arrives.
        ///
        /// With the default delays of ``RetryPolicy`` this takes a quarter of an hour: a server that fails at
        /// ranges all that time is assumed not to support them.
        static let maximumFruitlessResumptionCount = 10

        /// How often in a row a request for the rest was interrupted before a byte of it arrived.
        var fruitlessResumptionCount = 0
        /// How many bytes the file holds.
        var receivedByteCount: Int64 = 0
        /// The last request, without the fields that ask for the rest.
        var currentRequest: TransferRequest { current.transfer }
        /// The length of the whole, if it is known.
        var totalByteCount: Int64? { version?.totalByteCount }
        /// Whether the download is over, so that no event may follow.
        var hasEnded: Bool { state == .ended }

        var state = State.ready
        let original: TransferRequest
        let configuration: Configuration
        var current: Request
        var held: Held?
        var response: HTTPResponseHead?
        var version: ResourceVersion?
        /// Where the current body ends in the resource, if its head says so.
        var end: Int64?
        /// The bytes that are sent again for comparison.
        var proof = Proof()
        var hasReceivedBytes = false
        /// The digests that the server has announced.
        var announcedChecks: [DigestCheck] = []
        var announcesResumption: Bool
        /// The number of connections to use, if there can be several.
        var growth: SegmentGrowth?
        /// The part of the body that each connection fetches, once there are several.
        var segments: Segments?
        /// The number of the last part that was asked for.
        var partCount = Self.firstConnection
        /// Whether the download has given up fetching parts, and sends one request after the other.
        var hasGivenUpSegments = false
        /// How long a connection may receive nothing.
        var stallTime: Duration
        /// The servers that have the resource.
        var sources: Sources
        /// The error of the app's address.
        var originalFailure: TransferError?
        /// The error of the last connection that failed.
        var lastFailure: TransferError?
        /// Whether another program has changed the file during this download.
        var wasDisturbed = false
        /// Whether the last response to a request for a part was something else.
        var isRefused = false

        init(request: TransferRequest, configuration: Configuration) {
            original = request
            current = Request(transfer: request)
            self.configuration = configuration
            stallTime = configuration.segments.stallTime
            sources = Sources(request: request, mirrors: configuration.mirrors)
            announcesResumption = configuration.announcesResumption
        }

        /// Starts the download, with the bytes in the file that are certain to be of one version.
        mutating func start(holding held: Held?) -> [Effect] {
            switch state {
            case .ready: break
            // Cancelled before the file was opened.
            case .ended: return []
            case .requesting, .draining, .receiving, .synchronizing, .verifying: return misuse()
            }
            var resumption: Resumption?
            if let held, held.byteCount > 0, held.version.validator != nil, original.isResumable {
                self.held = held
                receivedByteCount = held.byteCount
                fruitlessResumptionCount = held.fruitlessResumptionCount
                // The whole is requested from the app's address first.
                if fruitlessResumptionCount < Self.maximumFruitlessResumptionCount {
                    sources.lead(by: held.version)
                    resumption = self.resumption(of: held)
                }
            }
            return send(Request(transfer: leading, resumption: resumption))
        }

        /// Returns the request that continues the bytes in the file.
        func resumption(of held: Held) -> Resumption? {
            if held.version.link == configuration.link { return held.resumption }
            if let written = held.segments {
                return Resumption(relinking: written, version: held.version)
            }
            return Resumption(relinking: held.byteCount, version: held.version)
        }

        mutating func cancel() -> [Effect] {
            defer { state = .ended }
            switch state {
            case .requesting, .draining, .receiving: return abandonLoads()
            case .ready, .synchronizing, .verifying, .ended: return []
            }
        }

        mutating func send(_ request: Request) -> [Effect] {
            state = .requesting
            current = request
            hasReceivedBytes = false
            return abandonProbes() + [.send(request)]
        }

        mutating func fail(_ error: TransferError) -> [Effect] {
            state = .ended
            return abandonProbes() + [.fail(error)]
        }

        /// Fails because of an input that is impossible in this state: a fault here or in the engine, which
        /// ends this download and no other.
        mutating func misuse(_ input: StaticString = #function) -> [Effect] {
            let message = "\(input) while \(stateName)"
            return abandonLoads()
                + fail(TransferError(code: .internalFailure, message: message))
        }

        /// The state without its values: a request may hold secrets.
        private var stateName: String {
            switch state {
            case .ready: "ready"
            case .requesting: "requesting"
            case .draining: "draining"
            case .receiving: "receiving"
            case .synchronizing: "synchronizing"
            case .verifying: "verifying"
            case .ended: "ended"
            }
        }
    }
}
