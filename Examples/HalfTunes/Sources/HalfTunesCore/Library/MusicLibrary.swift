import DesktopCore
package import Foundation
import Synchronization

/// The tracks that were downloaded: their files in a directory, and what is known of them in an index.
package final class MusicLibrary: Sendable {
    private let folder: Folder
    private let index: JSONFile<[Track]>
    private let known: Mutex<[Track]>

    /// A library.
    ///
    /// - Parameters:
    ///   - directory: Where the music files are; made when the first one comes.
    ///   - index: The file that tells which tracks they are.
    package init(directory: URL, index: URL) {
        folder = Folder(directory)
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
        return folder.file(named: FileName.of(track.previewURL))
    }

    /// Takes a file, in place of an older one of the same name.
    func file(_ location: URL, of track: Track) throws {
        // The index comes first: it may name what is not there, and a killed app's file that was
        // moved is not offered again.
        let before = known.withLock { $0 }
        try remember(track)
        do { try folder.take(location, as: FileName.of(track.previewURL)) } catch {
            // The older file is still that of the older track.
            known.withLock { $0 = before }
            try? index.write(before)
            throw error
        }
    }

    private func remember(_ track: Track) throws {
        try known.withLock { known in
            let name = FileName.of(track.previewURL)
            known.removeAll { FileName.of($0.previewURL) == name }
            known.append(track)
            try index.write(known)
        }
    }
}
