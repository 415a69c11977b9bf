package import Foundation
@preconcurrency import Glibc
import Synchronization

/// The tracks that were downloaded: their files in a directory, and what is known of them in an index.
package final class MusicLibrary: Sendable {
    private let directory: URL
    private let index: JSONFile<[Track]>
    private let known: Mutex<[Track]>

    /// A library.
    ///
    /// - Parameters:
    ///   - directory: Where the music files are; made when the first one comes.
    ///   - index: The file that tells which tracks they are.
    package init(directory: URL, index: URL) {
        self.directory = directory
        self.index = JSONFile(url: index)
        known = Mutex(self.index.read() ?? [])
    }

    /// The tracks whose files are there, the newest first.
    package var tracks: [Track] {
        known.withLock { $0 }.filter { file(of: $0) != nil }.reversed()
    }

    /// The file of a track; nil when it was not downloaded.
    package func file(of track: Track) -> URL? {
        guard known.withLock({ $0.contains { $0.previewURL == track.previewURL } }) else {
            return nil
        }
        let place = place(of: track)
        return FileManager.default.fileExists(atPath: place.path) ? place : nil
    }

    /// Takes a file, in place of an older one of the same name.
    func file(_ location: URL, of track: Track) throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        // The index comes first: it may name what is not there, and a killed app's file that was
        // moved is not offered again.
        try remember(track)
        try move(location, to: place(of: track))
    }

    private func place(of track: Track) -> URL {
        directory.appending(component: FileName.of(track.previewURL))
    }

    private func remember(_ track: Track) throws {
        try known.withLock { known in
            let name = FileName.of(track.previewURL)
            known.removeAll { FileName.of($0.previewURL) == name }
            known.append(track)
            try index.write(known)
        }
    }

    private func move(_ location: URL, to place: URL) throws {
        // rename(2) replaces in one step, so a player has the old file or the new one.
        if rename(location.path, place.path) == 0 { return }
        guard errno == EXDEV else { throw CocoaError(.fileWriteUnknown) }
        let copy = directory.appending(component: ".\(UUID().uuidString).part")
        try FileManager.default.copyItem(at: location, to: copy)
        guard rename(copy.path, place.path) == 0 else {
            try? FileManager.default.removeItem(at: copy)
            throw CocoaError(.fileWriteUnknown)
        }
    }
}
