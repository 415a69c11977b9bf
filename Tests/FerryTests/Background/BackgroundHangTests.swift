import FerrySystem
import FerryTestSupport
import FerryWire
import Foundation
import Testing

@testable import Ferry

/// Files of background sessions on disks that do not answer.
@Suite(.enabled(if: HangingDisk.canBeMade), .timeLimit(.minutes(1)))
struct BackgroundHangTests {
    private let daemon: ScriptedDaemon
    private let app: BackgroundApp
    private let url: URL

    init() async throws {
        _ = Home.path
        daemon = try ScriptedDaemon()
        try await daemon.start()
        app = BackgroundApp(daemon)
        url = try #require(URL(string: "https://example.com/song"))
    }

    @Test
    func `REL-1: a finished file whose disk does not answer holds up its session's queue alone`()
        async throws
    {
        let disk = try await HangingDisk(byteCount: 5)
        let session = app.session()
        session.downloadTask(with: url).resume()
        await session.flush()
        try await disk.hang(.lookup)
        await LoopActor.run {
            daemon.emit(Wire.Event(kind: .finished, task: 1, path: disk.file), in: "tracks")
            daemon.emit(Wire.Event(kind: .completed, task: 1), in: "tracks")
        }
        try await disk.waitUntilHanging(.lookup)
        // The loop goes on: another task is made, and the daemon hears of it.
        session.downloadTask(with: url).resume()
        while !daemon.calls.requests.contains("CreateDownload 2") { await Task.yield() }
        try await disk.goOn()
        await app.recorder.waitForCompletions()
        #expect(app.recorder.calls.contains(.completed(1, nil)))
    }
}
