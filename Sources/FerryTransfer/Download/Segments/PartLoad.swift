import FerryHTTP
import FerrySystem

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
