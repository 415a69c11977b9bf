import FerryHTTP
import FerrySystem
import FerryTransfer
import Glibc

/// One download with all its attempts.
@LoopActor
final class Run {
    private let request: TransferRequest
    private let file: PartialFile
    private let client: HTTPClient
    private let configuration: Download.Configuration
    private let policy = RetryPolicy()
    private var random = SystemRandomNumberGenerator()
    private var failureCount = 0
    private var download: Download?

    init(url: String, directory: Directory, connections: Int, mirrors: [String]) throws {
        var client = HTTPClient.Configuration()
        client.maximumConnectionsPerHost = 0
        self.client = try HTTPClient(configuration: client)
        request = TransferRequest(url: url)
        file = PartialFile(directory: directory, name: "download-probe.out")
        configuration = Download.Configuration(
            synchronization: .everySecond(FileSynchronizer(label: "probe.disk")),
            segments: Download.SegmentPolicy(maximumConnections: connections),
            mirrors: mirrors
        )
    }

    func start() {
        let download = Download(
            name: "probe",
            request: request,
            file: file,
            checkpoint: file.checkpoint,
            client: client,
            configuration: configuration,
            events: Download.Events(
                restarted: { print("starts over: \($0)") },
                progressed: { _, _, _ in self.failureCount = 0 },
                finished: { result in
                    print("\(result.byteCount) bytes")
                    exit(0)
                },
                failed: { self.failed($0) }
            )
        )
        self.download = download
        download.start()
    }

    private func failed(_ error: TransferError) {
        failureCount += 1
        let decision = policy.decision(for: error, failureCount: failureCount, using: &random)
        guard case .retry(let delay) = decision else {
            print("failed: \(error.message)")
            exit(1)
        }
        print("again in \(delay): \(error.message)")
        _ = EventLoop.shared.schedule(after: delay) { self.start() }
    }
}
