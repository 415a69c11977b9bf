import DesktopCore
import Foundation

/// What is needed to resume downloads, in a file, for later launches.
@MainActor
final class StoppedDownloads {
    /// What is needed to resume one, and to say how far it was.
    struct Entry: Codable {
        var resumeData: Data
        var progress: DownloadProgress?
    }

    private let file: JSONFile<[String: Entry]>

    init(file: URL) {
        self.file = JSONFile(url: file)
    }

    subscript(picture: Picture) -> Entry? {
        get { file.read()?[picture.url.absoluteString] }
        set {
            var entries = file.read() ?? [:]
            entries[picture.url.absoluteString] = newValue
            // What cannot be written can still be resumed in this launch.
            try? file.write(entries)
        }
    }
}
