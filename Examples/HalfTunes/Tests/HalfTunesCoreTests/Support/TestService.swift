import DesktopCore
import Ferry
import Foundation
import HalfTunesCore
import HalfTunesTestSupport

/// A download service with a session, a library and directories of its own, and what it has told.
@MainActor
final class TestService {
    let service: DownloadService
    let library: MusicLibrary
    private let directory: TestDirectory
    private let changes = Changes()
    private(set) var failures: [any Error] = []
    private(set) var finished: [Track] = []
    private(set) var texts: [String] = []

    /// A service.
    ///
    /// - Parameters:
    ///   - directory: Where its files are.
    ///   - identifier: The session's.
    init(in directory: TestDirectory, identifier: String = UUID().uuidString) {
        self.directory = directory
        _ = TestDaemon.home
        library = MusicLibrary(
            directory: directory.url.appending(component: "Music"),
            index: directory.url.appending(component: "library.json")
        )
        service = DownloadService(
            configuration: .background(withIdentifier: identifier),
            library: library,
            paused: PausedDownloads(file: directory.url.appending(component: "paused.json"))
        )
        service.changed = { [unowned self] track in
            texts += service.activeDownloads[track.previewURL]?.progress.map { [$0.text] } ?? []
            changes.record()
        }
        service.failed = { [unowned self] _, error in
            failures.append(error)
            changes.record()
        }
        service.finished = { [unowned self] track in
            finished.append(track)
            changes.record()
        }
    }

    /// Returns when a condition holds, looking at it whenever something was told.
    func until(_ condition: () -> Bool) async throws {
        try await changes.until(condition)
    }

    func download(_ track: Track) -> Download? {
        service.activeDownloads[track.previewURL]
    }

    func row(_ track: Track) -> TrackRow {
        TrackRow(
            download: download(track),
            isDownloaded: library.file(of: track) != nil,
            failure: service.failures[track.previewURL]
        )
    }
}
