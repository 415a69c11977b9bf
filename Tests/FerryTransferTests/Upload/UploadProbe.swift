import FerryHTTP
import FerrySystem
import FerryTestSupport

@testable import FerryTransfer

/// An upload whose events are kept for its test.
@LoopActor
final class UploadProbe {
    enum Event: Equatable {
        case sent(Int64)
        case responded(Int)
        case received(Int64, Int64?)
        case finished
        case failed(TransferError.Code)
    }

    private(set) var events: [Event] = []
    private(set) var result: UploadResult?
    private(set) var failure: TransferError?
    private let ended = AsyncValue<Bool>()
    private var upload: Upload?

    init(
        _ request: TransferRequest,
        _ source: UploadSource,
        answer: PartialFile,
        client: HTTPClient,
        _ configuration: Upload.Configuration
    ) {
        let upload = Upload(
            name: "test",
            request: request,
            source: source,
            answer: answer,
            client: client,
            configuration: configuration,
            events: Upload.Events(
                sent: { [weak self] in self?.events.append(.sent($0)) },
                responded: { [weak self] head, _ in self?.events.append(.responded(head.status)) },
                received: { [weak self] in self?.events.append(.received($0, $1)) },
                finished: { [weak self] result in
                    self?.result = result
                    self?.end(.finished)
                },
                failed: { [weak self] error in
                    self?.failure = error
                    self?.end(.failed(error.code))
                }
            )
        )
        self.upload = upload
        upload.start()
    }

    func cancel() { upload?.cancel() }

    /// Lets go of the upload.
    func forget() { upload = nil }

    /// Returns when the upload has ended.
    func end() async { _ = await ended.value }

    private func end(_ event: Event) {
        events.append(event)
        ended.set(true)
    }
}

extension UploadSource {
    /// A source of a file that is open.
    nonisolated convenience init(_ file: UserFile, identity: FileIdentity) {
        self.init(byteCount: identity.size, on: file.queue) {
            FileBodySource.Opened(file, identity: identity)
        }
    }
}
