import FerryHTTP

extension Download {
    /// Decides what a download does next; performs nothing itself.
    ///
    /// Requests follow one another: for the rest where a server sends less than was asked for, and
    /// once for the whole where the server refuses to continue the bytes at hand. Those bytes are given up only when the head of something to put in their place
    /// has arrived.
    struct StateMachine {
        /// How far the download has come.
        enum State: Equatable {
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
            /// All bytes are being compared with their digests.
            case verifying
            /// Nothing happens any more.
            case ended
        }

        /// What to ask for.
        struct Request: Hashable {
            /// The request without the fields that ask for the rest.
            var transfer: TransferRequest
            /// What to ask for instead of the whole.
            var resumption: Resumption?
        }

        /// The bytes that the file holds when the download starts.
        struct Held: Hashable {
            var byteCount: Int64
            var version: ResourceVersion
            var fruitlessResumptionCount = 0
            /// Which bytes those are, where they are not the first ones.
            var segments: ByteRanges?

            /// Asks for what is missing, or for the first part of it.
            var resumption: Resumption? {
                guard let segments, let total = version.totalByteCount,
                    let gap = segments.gaps(upTo: total).ranges.first
                else { return Resumption(byteCount: byteCount, version: version) }
                return Resumption(gap: gap, version: version)
            }
        }

        /// How often in a row a request for the rest may be cut off before a byte of it comes.
        ///
        /// With the default delays of ``RetryPolicy`` that many take a quarter of an hour: a
        /// server that fails at ranges all that time is taken to fail at ranges.
        static let maximumFruitlessResumptionCount = 10

        /// How often in a row a request for the rest was cut off before a byte of it came.
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
        /// Where the body at hand ends in the resource, if its head tells.
        var end: Int64?
        /// What is sent once more, to be compared.
        var proof = Proof()
        var hasReceivedBytes = false
        /// What the server has said of the bytes.
        var announcedChecks: [DigestCheck] = []
        var announcesResumption: Bool
        /// How many connections there are to be, where there can be several.
        var growth: SegmentGrowth?
        /// Which part of the body each of them fetches, once there are several.
        var segments: Segments?
        /// The number of the last part that was asked for.
        var partCount = Self.firstConnection
        /// Whether a server has refused parts in a way that makes one request after the other the better way.
        var hasGivenUpSegments = false
        /// How long a connection may bring nothing.
        var stallTime: Duration
        /// Where the resource can be had.
        var sources: Sources
        /// Why the app's own address has not answered.
        var originalFailure: TransferError?
        /// Why the last connection that has failed did.
        var lastFailure: TransferError?
        /// Whether somebody else has changed the file in the course of this download.
        var wasDisturbed = false
        /// Whether the last answer for a part was something else.
        var isRefused = false

        init(request: TransferRequest, configuration: Configuration) {
            original = request
            current = Request(transfer: request)
            self.configuration = configuration
            stallTime = configuration.segments.stallTime
            sources = Sources(request: request, mirrors: configuration.mirrors)
            announcesResumption = configuration.announcesResumption
        }

        /// What the file holds, and is certain to be of one version, is known now.
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
                // The whole is asked of the app's own address first.
                if fruitlessResumptionCount < Self.maximumFruitlessResumptionCount {
                    sources.lead(by: held.version)
                    resumption = self.resumption(of: held)
                }
            }
            return send(Request(transfer: leading, resumption: resumption))
        }

        /// The request for what follows the bytes at hand.
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

        /// An input that cannot come in this state: a fault here or in the engine, which ends this
        /// download and no other.
        mutating func misuse(_ input: StaticString = #function) -> [Effect] {
            let message = "\(input) while \(stateName)"
            return abandonLoads()
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
            case .verifying: "verifying"
            case .ended: "ended"
            }
        }
    }
}
