import FerryTestSupport
import FerryWire
import Foundation
import FoundationNetworking
import Testing

@testable import Ferry

@Suite("Transfer options of background sessions", .timeLimit(.minutes(1)))
struct BackgroundOptionsTests {
    init() { _ = Home.path }

    @Test func `the daemon is told all options, and tells them to the app's next launch`() throws {
        var options = TransferOptions()
        #expect(Wire.TransferOptions(options) == nil)
        options.expectedDigests = try [
            #require(TransferOptions.Digest(.sha512, Data(count: 64)))
        ]
        options.mirrors = try [#require(URL(string: "https://example.com/song"))]
        options.maximumConnectionsPerDownload = 3
        options.maximumReceiveRate = 1000
        options.maximumSendRate = 2000
        options.retry = TransferOptions.Retry()
        options.retry?.maximumAttempts = 7
        options.retry?.maximumUnansweredAttempts = 5
        options.retry?.statuses = [503]
        options.deliversErrorResponses = false
        options.uploadProtocol = .tus
        options.avoidedConditions = [.battery, .outsideHours]
        #expect(TransferOptions(Wire.TransferOptions(options)) == options)
    }

    @Test func `cookies come back from the daemon`() throws {
        let properties: [HTTPCookiePropertyKey: Any] = [
            .name: "a", .value: "b", .domain: ".example.org", .path: "/c", .secure: "TRUE",
        ]
        var options = TransferOptions()
        options.cookies = [try #require(HTTPCookie(properties: properties))]
        let back = TransferOptions(Wire.TransferOptions(options))
        #expect(back == options)
        let cookie = try #require(back.cookies.first)
        #expect((cookie.name, cookie.value) == ("a", "b"))
        #expect((cookie.domain, cookie.path) == (".example.org", "/c"))
        #expect(cookie.isSecure)
    }

    /// A change of each option.
    static let changes: [@Sendable (inout TransferOptions) -> Void] = [
        {
            $0.expectedDigests = [TransferOptions.Digest(.sha256, Data(count: 32))].compactMap {
                $0
            }
        },
        { $0.mirrors = [URL(fileURLWithPath: "/a")] }, { $0.maximumConnectionsPerDownload = 3 },
        { $0.maximumReceiveRate = 1000 }, { $0.maximumSendRate = 2000 },
        { $0.retry = TransferOptions.Retry() }, { $0.deliversErrorResponses = false },
        { $0.uploadProtocol = .tus }, { $0.uploadProtocol = .draft }, { $0.uploadProtocol = .off },
        { $0.destinationDirectory = URL(filePath: "/a", directoryHint: .isDirectory) },
        { $0.keepsMachineAwake = true }, { $0.avoidedConditions = .battery },
        { $0.connectTimeout = .seconds(7) }, { $0.acceptsInvalidCertificates = true },
        { $0.minimumReceiveRate = 1000 }, { $0.maximumRedirects = 0 },
        { $0.maximumFileSize = 1000 }, { $0.requiresHTTPS = true },
    ]

    @Test(arguments: changes)
    func `TEST-18: each option alone comes back from the daemon`(
        change: @Sendable (inout TransferOptions) -> Void
    ) {
        var options = TransferOptions()
        change(&options)
        #expect(options != TransferOptions())
        #expect(TransferOptions(Wire.TransferOptions(options)) == options)
    }

    @Test(
        arguments: [
            { $0.maximumAttempts = 7 }, { $0.maximumUnansweredAttempts = 5 },
            { $0.firstDelay = .seconds(2) }, { $0.factor = 3 }, { $0.maximumDelay = .seconds(60) },
            { $0.statuses = [503] },
        ] as [@Sendable (inout TransferOptions.Retry) -> Void]
    )
    func `TEST-18: each rule for retries alone comes back from the daemon`(
        change: @Sendable (inout TransferOptions.Retry) -> Void
    ) {
        var retry = TransferOptions.Retry()
        change(&retry)
        #expect(retry != TransferOptions.Retry())
        var options = TransferOptions()
        options.retry = retry
        #expect(TransferOptions(Wire.TransferOptions(options)) == options)
    }

    @Test func `values that make no sense become the nearest that do`() {
        var options = TransferOptions()
        options.maximumConnectionsPerDownload = 0
        options.maximumReceiveRate = -5
        options.retry = TransferOptions.Retry()
        options.retry?.firstDelay = .seconds(-1)
        options.retry?.factor = .nan
        options.retry?.statuses = [200, 404]
        let wire = Wire.TransferOptions(options)
        #expect(wire?.maximumConnections == 1)
        #expect(wire?.receiveRate == 1)
        #expect(wire?.retry?.firstDelay == 0)
        #expect(wire?.retry?.factor == 1)
        #expect(wire?.retry?.statuses == [404])
    }

    @Test func `options set before a task is resumed go with the call that makes it`() async throws
    {
        let daemon = try await ScriptedDaemon.started()
        let app = BackgroundApp(daemon)
        let session = app.session { $0.transferOptions.maximumReceiveRate = 5000 }
        let url = try #require(URL(string: "https://example.com/song"))
        let task = session.downloadTask(with: url)
        #expect(task.transferOptions.maximumReceiveRate == 5000)
        task.transferOptions.deliversErrorResponses = false
        task.resume()
        await session.flush()
        task.transferOptions.maximumReceiveRate = 6000
        session.setMaximumRates(receive: 7000, send: nil)
        await session.flush()
        let stored = await daemon.sessions["tracks"]?.tasks[1]?.options
        #expect(stored?.receiveRate == 6000)
        #expect(stored?.refusesErrorResponses == true)
        #expect(daemon.calls.requests.suffix(2) == ["SetOptions 1", "SetSessionRates 101"])
    }

    @Test func `a request that excludes cellular networks has its task avoid them`() async throws {
        let daemon = try await ScriptedDaemon.started()
        let session = BackgroundApp(daemon).session()
        var request = URLRequest(url: try #require(URL(string: "https://example.com/song")))
        request.allowsCellularAccess = false
        let task = session.downloadTask(with: request)
        task.resume()
        await session.flush()
        #expect(await daemon.sessions["tracks"]?.tasks[1]?.options?.avoids == [.cellularNetwork])
        task.transferOptions.avoidedConditions = .battery
        await session.flush()
        let avoids = await daemon.sessions["tracks"]?.tasks[1]?.options?.avoids
        #expect(avoids == [.cellularNetwork, .battery])
    }

    @Test func `REL-6: delays that nobody has chosen are the daemon's choice`() {
        var options = TransferOptions()
        options.retry = TransferOptions.Retry()
        options.retry?.maximumAttempts = 3
        let wire = Wire.TransferOptions(options)
        #expect(wire?.retry == Wire.RetryRules(maximumAttempts: 3))
        options.retry?.firstDelay = .seconds(9)
        let chosen = Wire.TransferOptions(options)
        #expect(chosen?.retry == Wire.RetryRules(maximumAttempts: 3, firstDelay: 9))
    }
}
