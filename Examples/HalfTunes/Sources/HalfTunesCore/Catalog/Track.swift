package import Foundation

/// A song of the catalog, of which a preview can be downloaded.
package struct Track: Codable, Hashable, Sendable {
    package var title: String
    package var artist: String
    /// Where the preview is; tells tracks apart.
    package var previewURL: URL
    package var artworkURL: URL?
    package var duration: Duration?

    package init(
        title: String,
        artist: String,
        previewURL: URL,
        artworkURL: URL? = nil,
        duration: Duration? = nil
    ) {
        self.title = title
        self.artist = artist
        self.previewURL = previewURL
        self.artworkURL = artworkURL
        self.duration = duration
    }
}
