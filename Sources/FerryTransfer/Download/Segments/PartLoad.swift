import FerryHTTP
package import FerrySystem

/// A request for a part of a body, made while another connection fetches another part.
@LoopActor
final class PartLoad {
    /// The part's number in its download.
    let part: Int
    /// The requested bytes and the proof of their response; `nil` to compare bytes in the file.
    let resumption: Resumption?

    private weak var download: Download?
    private var load: Load?
    private let request: TransferRequest
    private let client: HTTPClient
    private let configuration: Load.Configuration
    private let decider: PartDecider
    private let proven: Load?

    init(
        of download: Download,
        part: Int,
        resumption: Resumption?,
        request: TransferRequest,
        client: HTTPClient,
        configuration: Load.Configuration,
        decider: PartDecider,
        proven: Load?
    ) {
        self.download = download
        self.part = part
        self.resumption = resumption
        self.request = request
        self.client = client
        self.configuration = configuration
        self.decider = decider
        self.proven = proven
    }

    func start() {
        let load = Load(
            request: request,
            client: client,
            configuration: configuration,
            decider: decider,
            proven: proven,
            receiver: self
        )
        self.load = load
        load.start()
    }

    func cancel() {
        load?.cancel()
        load = nil
    }

    /// A connection that has delivered bytes in pipes cannot be reused, which is worth it only for a long part.
    private static let leastSplicedByteCount: Int64 = 64 << 20

    private var disposition: HTTPBodyDisposition {
        let length = resumption?.gap?.byteCount ?? 0
        return length >= Self.leastSplicedByteCount ? .deliverInPipes : .deliver
    }
}

extension PartLoad: LoadReceiver {
    func load(
        _ load: Load,
        didReceive head: HTTPResponseHead,
        to request: TransferRequest
    ) -> HTTPBodyDisposition {
        download?.received(head, by: self) == true ? disposition : .cancel
    }

    func load(_ load: Load, didReceive bytes: UnsafeRawBufferPointer) -> HTTPBodyDisposition {
        download?.received(.memory(bytes), by: self) == true ? disposition : .cancel
    }

    func load(_ load: Load, didReceive pipe: SplicePipe) -> HTTPBodyDisposition {
        download?.received(.pipe(pipe), by: self) == true ? disposition : .cancel
    }

    func load(_ load: Load, didFinishWith error: TransferError?) {
        self.load = nil
        download?.finished(self, with: error)
    }
}

/// Decides about the request for a part without asking the app, which has decided about the first request.
///
/// If a new decision is needed, the response is not used: the part is then fetched by the first connection, or
/// by a request that the app is asked about.
@LoopActor
final class PartDecider: ForwardingDecider {
    package let decider: (any LoadDecider)?
    private let followsRedirects: Bool
    private let keepsSecrets: Bool

    /// Makes a decider that stands before that of a download.
    ///
    /// - Parameters:
    ///   - decider: The download's decider.
    ///   - followsRedirects: Whether redirects are followed, as for a mirror.
    ///   - keepsSecrets: Whether nothing is added to the request, as for another origin.
    init(_ decider: (any LoadDecider)?, followsRedirects: Bool, keepsSecrets: Bool) {
        self.decider = decider
        self.followsRedirects = followsRedirects
        self.keepsSecrets = keepsSecrets
    }

    func load(
        _ load: Load,
        prepare request: TransferRequest,
        then send: @escaping @LoopActor ([HTTPField]) -> Void
    ) {
        guard let decider, !keepsSecrets else { return send([]) }
        decider.load(load, prepare: request, then: send)
    }

    func load(_ load: Load, identityFor request: TransferRequest) -> HTTPIdentity? {
        keepsSecrets ? nil : decider?.load(load, identityFor: request)
    }

    func load(
        _ load: Load,
        mayRedirectTo request: TransferRequest,
        for head: HTTPResponseHead,
        then follow: @escaping @LoopActor (TransferRequest?) -> Void
    ) { follow(followsRedirects ? request : nil) }
}

/// An owner that counts connections, and lends a download more than its first one.
@LoopActor
package protocol ConnectionLender: AnyObject {
    /// Lends a connection to a server if there is room and no other transfer waits for it.
    ///
    /// - Parameter origin: The server, as ``Origin/description`` has it.
    /// - Returns: Whether another connection is allowed.
    func lend(connectionTo origin: String) -> Bool

    /// Takes back a connection that was lent.
    func takeBack(connectionTo origin: String)
}
