import FerryHTTP
import FerrySystem
import FerryTestSupport

@testable import FerryTransfer

/// An upload whose answer and resources are kept for its test.
@LoopActor
final class ResumableUploadProbe {
    private(set) var head: HTTPResponseHead?
    private(set) var request: TransferRequest?
    private(set) var body: [UInt8] = []
    private(set) var error: TransferError?
    /// What the upload could be continued by, in order.
    private(set) var resources: [UploadResource?] = []
    private(set) var upload: ResumableUpload?
    private let ended = AsyncValue<Bool>()
    private let changed = AsyncValue<Bool>()

    init(
        _ request: TransferRequest,
        _ body: ResumableUpload.Body,
        resource: UploadResource? = nil,
        client: HTTPClient,
        memory: UploadMemory = UploadMemory(),
        decider: (any LoadDecider)? = nil,
        _ configuration: ResumableUpload.Configuration
    ) {
        let upload = ResumableUpload(
            request: request,
            body: body,
            resource: resource,
            client: client,
            configuration: configuration,
            memory: memory,
            decider: decider,
            receiver: self,
            onChange: { [weak self] in
                self?.resources.append($0)
                self?.changed.set(true)
            }
        )
        self.upload = upload
        upload.start()
    }

    /// Returns when the upload has ended.
    func end() async { _ = await ended.value }

    /// Returns when the server has told where the upload can go on.
    func resourceToCome() async { _ = await changed.value }

    var text: String { String(decoding: body, as: UTF8.self) }
}

extension ResumableUploadProbe: LoadReceiver {
    func load(
        _ load: Load,
        didReceive head: HTTPResponseHead,
        to request: TransferRequest
    ) -> HTTPBodyDisposition {
        self.head = head
        self.request = request
        return .deliver
    }

    func load(_ load: Load, didReceive bytes: UnsafeRawBufferPointer) -> HTTPBodyDisposition {
        body += bytes
        return .deliver
    }

    func load(_ load: Load, didFinishWith error: TransferError?) {
        self.error = error
        ended.set(true)
    }
}
