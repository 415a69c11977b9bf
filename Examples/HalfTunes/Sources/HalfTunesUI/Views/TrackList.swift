import CAdwaita
import Foundation
import HalfTunesCore
import Toolkit

/// A list of tracks.
@MainActor
final class TrackList {
    private let list: OpaquePointer
    private let tunes: Tunes
    private let artwork: ArtworkLoader
    private var rows: [TrackRowView] = []
    /// The same, found without a look at each: progress comes often.
    private var rowsByURL: [URL: [TrackRowView]] = [:]
    private var loads: Task<Void, Never>?

    /// A list.
    ///
    /// - Parameters:
    ///   - list: A `GtkListBox` that is empty.
    ///   - tunes: What the rows are about.
    ///   - artwork: Has the rows' pictures.
    init(in list: OpaquePointer, tunes: Tunes, artwork: ArtworkLoader) {
        self.list = list
        self.tunes = tunes
        self.artwork = artwork
    }

    /// Shows other tracks; nothing changes if they are the same.
    func show(_ tracks: [Track]) {
        guard tracks != rows.map(\.track) else { return }
        for row in rows { gtk_list_box_remove(list, row.widget) }
        rows = tracks.map { track in
            let row = makeRow(for: track)
            gtk_list_box_append(list, row.widget)
            return row
        }
        rowsByURL = Dictionary(grouping: rows) { $0.track.previewURL }
        loadArtwork()
    }

    /// Whether a track has a row.
    func contains(_ track: Track) -> Bool { rowsByURL[track.previewURL] != nil }

    /// Shows how a track's download is now.
    func update(_ track: Track) {
        for row in rowsByURL[track.previewURL] ?? [] {
            row.show(tunes.row(of: row.track))
        }
    }

    private func makeRow(for track: Track) -> TrackRowView {
        let tunes = tunes
        let actions = TrackRowView.Actions(
            download: { tunes.downloads.start($0) },
            pause: { tunes.downloads.pause($0) },
            resume: { tunes.downloads.resume($0) },
            cancel: { tunes.downloads.cancel($0) },
            play: { tunes.play($0) },
            showInFiles: { tunes.showInFiles($0) },
            remove: { tunes.remove($0) }
        )
        let row = TrackRowView(track, actions: actions) {
            tunes.downloads.activeDownloads[track.previewURL]?.isDownloading == false
        }
        row.show(tunes.row(of: track))
        return row
    }

    /// One after another, from the top, where the person looks first.
    private func loadArtwork() {
        loads?.cancel()
        loads = Task { [rows, artwork] in
            for row in rows {
                guard let url = row.track.artworkURL, !Task.isCancelled else { continue }
                if let texture = await artwork.texture(at: url), !Task.isCancelled {
                    row.show(artwork: texture)
                }
            }
        }
    }
}
