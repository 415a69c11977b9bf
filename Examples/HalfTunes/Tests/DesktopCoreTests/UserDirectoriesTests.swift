import DesktopCore
import Foundation
import HalfTunesTestSupport
import Testing

struct UserDirectoriesTests {
    private let directory: TestDirectory

    init() throws {
        directory = try TestDirectory()
    }

    @Test
    func `music and pictures go where the user has them`() throws {
        let configuration = """
            # comment
            XDG_MUSIC_DIR="$HOME/Musik"
            XDG_PICTURES_DIR="$HOME/Bilder"
            """
        try directory.write(configuration, to: ".config/user-dirs.dirs")
        let directories = UserDirectories(environment: ["HOME": directory.url.path])
        #expect(directories.music.path == directory.url.path + "/Musik")
        #expect(directories.pictures.path == directory.url.path + "/Bilder")
    }

    @Test
    func `they go to Music and Pictures where the user has no places for them`() {
        let directories = UserDirectories(environment: ["HOME": directory.url.path])
        #expect(directories.music.path == directory.url.path + "/Music")
        #expect(directories.pictures.path == directory.url.path + "/Pictures")
    }

    @Test
    func `what apps remember goes where the user has it`() {
        let environment = ["HOME": "/home", "XDG_DATA_HOME": "/data", "XDG_STATE_HOME": "state"]
        let directories = UserDirectories(environment: environment)
        #expect(directories.data.path == "/data")
        // Relative paths are invalid.
        #expect(directories.state.path == "/home/.local/state")
    }
}
