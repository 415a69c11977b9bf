import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

/// A server, a client and a directory for the downloads of one test.
@LoopActor
final class DownloadBench {
    let server: FixtureServer
    let client: HTTPClient
    let temporary: TemporaryDirectory
    let synchronizer = FileSynchronizer(label: "test")

    /// Makes a bench, on which a body comes in pipes when `splicesFrom` bytes of it are missing.
    init(temporary: TemporaryDirectory? = nil, splicesFrom: Int64 = .max) throws {
        server = try FixtureServer()
        var configuration = HTTPClient.Configuration()
        configuration.proxies = .direct
        configuration.minimumSplicedBytes = splicesFrom
        client = try HTTPClient(configuration: configuration)
        self.temporary = try temporary ?? TemporaryDirectory()
    }

    /// A new object for the file, as a process that starts has it.
    func file(_ name: String = "file") -> PartialFile {
        PartialFile(directory: temporary.directory, name: name)
    }

    func request(_ path: String = "/file", _ fields: [(String, String)] = []) -> TransferRequest {
        TransferRequest(
            url: server.url(path),
            fields: fields.map { HTTPField(name: $0.0, value: $0.1) },
            idleTimeout: 30
        )
    }

    /// Starts a download of a path, on a new object for its file.
    func download(
        _ request: TransferRequest? = nil,
        to name: String = "file",
        checkpoint: Checkpoint? = nil,
        _ configuration: Download.Configuration = Download.Configuration()
    ) -> DownloadProbe {
        DownloadProbe(
            request ?? self.request(),
            file(name),
            checkpoint: checkpoint,
            client: client,
            configuration
        )
    }

    /// Starts a download of the file as a configuration says, with others' connections.
    func download(
        _ configuration: Download.Configuration,
        connections: (any ConnectionLender)? = nil,
        decider: (any LoadDecider)? = nil
    ) -> DownloadProbe {
        DownloadProbe(
            request(),
            file(),
            client: client,
            configuration,
            connections: connections,
            decider: decider
        )
    }

    /// The place of the first byte that is not as it should be; `nil` when all are.
    func difference(_ content: FixtureContent, in name: String = "file") throws -> Int? {
        content.firstDifference(from: try temporary.contents(of: name))
    }

    /// The ranges that were asked for.
    func ranges(_ path: String = "/file") -> [String?] {
        server.requests(to: path).map(\.range)
    }
}
