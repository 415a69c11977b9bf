import Foundation
import HalfTunesTestSupport
import Testing

@testable import HalfTunesCore

struct MusicLibraryTests {
    private let directory: TestDirectory

    init() throws {
        directory = try TestDirectory()
    }

    private var library: MusicLibrary {
        MusicLibrary(
            directory: directory.url.appending(component: "Music"),
            index: directory.url.appending(component: "data/library.json")
        )
    }

    private func track(_ url: String, title: String = "Title") throws -> Track {
        Track(title: title, artist: "Artist", previewURL: try #require(URL(string: url)))
    }

    @Test
    func `a file is found under the last part of its address, also by a later launch`() throws {
        let track = try track("https://host/a/preview%20one.m4a?x=y")
        try library.file(directory.write("sound", to: "tmp"), of: track)
        let file = try #require(library.file(of: track))
        #expect(file.lastPathComponent == "preview one.m4a")
        #expect(try String(contentsOf: file, encoding: .utf8) == "sound")
        #expect(library.tracks == [track])
    }

    @Test
    func `a newer file takes the place of an older one`() throws {
        let (old, new) = (try track("https://host/a/p.m4a"), try track("https://host/b/p.m4a"))
        try library.file(directory.write("old", to: "tmp"), of: old)
        try library.file(directory.write("new", to: "tmp"), of: new)
        let file = try #require(library.file(of: new))
        #expect(try String(contentsOf: file, encoding: .utf8) == "new")
        #expect(library.tracks == [new])
    }

    @Test
    func `the newest is first, and what was deleted is gone`() throws {
        let tracks = try (1...3).map { try track("https://host/\($0).m4a", title: "\($0)") }
        let library = library
        for track in tracks { try library.file(directory.write("sound", to: "tmp"), of: track) }
        try FileManager.default.removeItem(at: try #require(library.file(of: tracks[1])))
        #expect(library.tracks.map(\.title) == ["3", "1"])
        #expect(library.file(of: tracks[1]) == nil)
    }
}
