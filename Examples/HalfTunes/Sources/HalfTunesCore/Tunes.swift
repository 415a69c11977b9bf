package import DesktopCore
import Foundation

/// All that the app consists of, below its window.
@MainActor
package final class Tunes {
    /// By which ferryd, the desktop and the bus know the app.
    nonisolated package static let identifier = "io.ferry.HalfTunes"

    package let library: MusicLibrary
    package let downloads: DownloadService
    package let catalog: Catalog
    package let search: Search
    package let playback: Playback
    /// Called when a person has removed a track.
    package var removed: @MainActor (Track) -> Void = { _ in }
    /// Called when a track could not be removed, with the reason.
    package var removalFailed: @MainActor (Track, any Error) -> Void = { _, _ in }
    private let files: any DesktopFiles

    /// The app of a user.
    ///
    /// - Parameters:
    ///   - environment: The process's environment variables.
    ///   - player: What plays the songs.
    ///   - files: What the desktop does with files.
    package init(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        player: any AudioPlayer,
        files: any DesktopFiles
    ) {
        self.files = files
        let directories = UserDirectories(environment: environment)
        let data = directories.data.appending(component: "half-tunes")
        library = MusicLibrary(
            directory: directories.music.appending(component: "Half Tunes"),
            index: data.appending(component: "library.json")
        )
        downloads = DownloadService(
            library: library,
            paused: PausedDownloads(file: data.appending(component: "paused.json"))
        )
        let catalog = Catalog(address: Self.catalogAddress(environment))
        self.catalog = catalog
        let state = directories.state.appending(component: "half-tunes")
        search = Search(last: JSONFile(url: state.appending(component: "search.json"))) {
            try await catalog.songs(matching: $0)
        }
        playback = Playback(player: player)
    }

    /// What a row shows of a track.
    package func row(of track: Track) -> TrackRow {
        TrackRow(
            download: downloads.activeDownloads[track.previewURL],
            isDownloaded: library.file(of: track) != nil,
            isPlaying: playback.isPlaying && playback.track == track,
            failure: downloads.failures[track.previewURL]
        )
    }

    /// Plays a track that was downloaded; pauses and continues the one that is played.
    package func play(_ track: Track) {
        guard playback.track != track else { return playback.toggle() }
        guard let file = library.file(of: track) else { return }
        playback.play(track, file: file)
    }

    /// Moves the file of a track to the trash; the track is in the library again when a person restores the file.
    package func remove(_ track: Track) {
        guard let file = library.file(of: track) else { return }
        do { try files.trash(file) } catch { return removalFailed(track, error) }
        playback.stop(track)
        removed(track)
    }

    /// Shows the file of a track where a person can do more with it.
    package func showInFiles(_ track: Track) {
        if let file = library.file(of: track) { files.show(file) }
    }

    private static func catalogAddress(_ environment: [String: String]) -> URL {
        let named = environment[Catalog.addressVariable].flatMap { URL(string: $0) }
        return named ?? Catalog.apple
    }
}
