import Ferry
import Foundation
import HalfTunesTestSupport
import Testing

@testable import HalfTunesCore

@Suite(.timeLimit(.minutes(1)))
struct CatalogTests {
    private let trial: TrialCatalog
    private let catalog: Catalog

    init() throws {
        trial = try TrialCatalog()
        catalog = Catalog(address: trial.address, configuration: .ephemeral)
    }

    @Test
    func `songs have what a row shows`() async throws {
        let songs = try await catalog.songs(matching: "blue river")
        let song = try #require(songs.first)
        #expect(songs.count == 1)
        #expect(song.title == "Blue River")
        #expect(song.artist == "The Ferrymen")
        #expect(song.duration == .seconds(150))
        #expect(song.previewURL == trial.address.appending(path: "preview/song01.wav"))
        #expect(song.artworkURL == trial.address.appending(path: "artwork/song01.png"))
    }

    @Test
    func `songs are asked for as the iTunes Search API wants it`() throws {
        let query = try Catalog(address: Catalog.apple).query(for: "R+B & größer")
        #expect(
            query.absoluteString == "https://itunes.apple.com/search?media=music&entity=song"
                + "&term=R%2BB%20%26%20gr%C3%B6%C3%9Fer"
        )
    }

    @Test
    func `a term in another script finds its songs`() async throws {
        let songs = try await catalog.songs(matching: "Phà Chiều")
        #expect(songs.count == 6)
        #expect(songs.allSatisfy { $0.artist == "Phà Chiều" })
    }

    @Test
    func `a status other than 200 is an error`() async throws {
        try await trial.change(#"{"status": 503}"#)
        await #expect(throws: CatalogError.refused(status: 503)) {
            try await catalog.songs(matching: "blue")
        }
    }

    @Test
    func `a server that is not there is an error in words`() async throws {
        let nowhere = try #require(URL(string: "http://127.0.0.1:1"))
        let error = await #expect(throws: CatalogError.self) {
            try await Catalog(address: nowhere, configuration: .ephemeral).songs(matching: "blue")
        }
        guard case .failed(let reason) = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test
    func `a machine without a network is offline`() {
        #expect(CatalogError(URLError(.notConnectedToInternet)) == .offline)
    }

    @Test
    func `artwork is a picture`() async throws {
        let url = trial.address.appending(path: "artwork/song01.png")
        let data = try await catalog.artwork(at: url)
        #expect(data.starts(with: [0x89] + Array("PNG".utf8)))
    }

    @Test
    func `what has no preview, or one that is no web address, is left out`() throws {
        let answer = """
            {"results": [
              {"trackName": "A", "artistName": "a"},
              {"trackName": "B", "artistName": "b", "previewUrl": "file:///etc/passwd"},
              {"trackName": "C", "artistName": "c", "previewUrl": "https://host/c.m4a"},
              {"trackName": "D", "artistName": "d", "previewUrl": "https://host/c.m4a"},
              {"collectionName": "E", "artistName": "e", "previewUrl": "https://host/e.m4a"}
            ]}
            """
        let response = try JSONDecoder().decode(SearchResponse.self, from: Data(answer.utf8))
        #expect(response.tracks.map(\.title) == ["C"])
    }
}
