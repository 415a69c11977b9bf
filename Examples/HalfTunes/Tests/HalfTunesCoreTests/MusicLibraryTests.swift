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

    @Test(arguments: [
        ("https://host/a/..%2F..%2Fetc%2Fpasswd", "_.._etc_passwd"),
        ("https://host/.hidden", "hidden"),
        ("https://host/..", "preview"),
        ("https://host", "preview"),
        ("https://host/a.m4a", "a.m4a"),
    ])
    func `an address cannot name another directory`(url: String, name: String) throws {
        #expect(FileName.of(try #require(URL(string: url))) == name)
    }

    @Test
    func `music goes where the user has it`() throws {
        try directory.write(
            "# comment\nXDG_MUSIC_DIR=\"$HOME/Musik\"\n",
            to: ".config/user-dirs.dirs"
        )
        let directories = UserDirectories(environment: ["HOME": directory.url.path])
        #expect(directories.music.path == directory.url.path + "/Musik/Half Tunes")
        #expect(directories.data.path == directory.url.path + "/.local/share/half-tunes")
    }

    @Test
    func `music goes to Music where the user has no place for it`() throws {
        let environment = ["HOME": directory.url.path, "XDG_DATA_HOME": "/data"]
        let directories = UserDirectories(environment: environment)
        #expect(directories.music.path == directory.url.path + "/Music/Half Tunes")
        #expect(directories.data.path == "/data/half-tunes")
    }
}
