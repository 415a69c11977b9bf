package import Foundation

/// What the iTunes Search API answers.
struct SearchResponse: Decodable {
    private let results: [Result]

    /// What of a result this app needs.
    fileprivate struct Result: Decodable {
        var trackName: String?
        var artistName: String?
        var previewUrl: String?
        var artworkUrl100: String?
        var trackTimeMillis: Int64?
    }

    /// The songs among the results that have a preview; each preview once.
    var tracks: [Track] {
        var known: Set<URL> = []
        return results.compactMap(\.track).filter { known.insert($0.previewURL).inserted }
    }
}

extension SearchResponse.Result {
    /// nil for what cannot be downloaded, such as an album.
    var track: Track? {
        guard let trackName, let artistName, let url = webURL(previewUrl) else { return nil }
        return Track(
            title: trackName,
            artist: artistName,
            previewURL: url,
            artworkURL: webURL(artworkUrl100),
            duration: trackTimeMillis.map { .milliseconds($0) }
        )
    }

    /// A server's word is input: other schemes could name files of this machine.
    private func webURL(_ text: String?) -> URL? {
        guard let url = text.flatMap({ URL(string: $0) }), url.host() != nil else { return nil }
        return ["http", "https"].contains(url.scheme?.lowercased()) ? url : nil
    }
}

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
