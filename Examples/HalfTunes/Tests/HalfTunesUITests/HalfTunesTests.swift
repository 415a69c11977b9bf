import Foundation
import HalfTunesTestSupport
import Testing

extension WindowTests {
    @Suite struct HalfTunesTests {
        /// Half a minute for a preview, so that there is time to do something meanwhile.
        private func withApp(
            _ name: String = #function,
            catalog: String? = nil,
            buttons: String = ":close",
            environment: [String: String] = [:],
            _ body: (TestApp) async throws -> Void
        ) async throws {
            try await TestApp.run(
                "half-tunes",
                rate: 6_000,
                catalog: catalog,
                buttons: buttons,
                environment: environment,
                name,
                body
            )
        }

        @Test
        func `H1, H2, H4, H5: a track is found, downloaded with pauses, and played`()
            async throws
        {
            try await withApp { app in
                _ = try app.launch()
                try await app.search(for: "blue")
                try app.desktop.keepPicture("found")
                try await app.pressInRow("Download")
                try await app.showsProgress(of: "176 kB")
                try await app.pressInRow("Pause")
                try await app.shows("Resume", role: .button)
                try app.desktop.keepPicture("paused")
                try await app.pressInRow("Resume")
                try await app.shows("Pause", role: .button)
                try app.desktop.keepPicture("downloading")
                try await app.pressInRow("Cancel")
                try await app.pressInRow("Download")
                try await app.hurry()
                try await app.pressInRow("Play")
                try await app.shows("0:01 / 0:04")
                try app.desktop.keepPicture("playing")
                #expect(app.hasFiledSong)
            }
        }

        @Test
        func `H6, P9: a download outlives its window, is filed, told and shown`()
            async throws
        {
            try await withApp { app in
                let process = try await app.startDownload()
                try await app.press("Close")
                process.waitUntilExit()
                #expect(process.terminationReason == .exit)
                #expect(process.terminationStatus == 0)
                #expect(try await app.transfers().contains("running"))
                try await app.filesWithoutWindow()
                try await app.opensAgain()
                try app.desktop.keepPicture("opened again")
            }
        }

        @Test
        func `H6, P11: a crash at half changes nothing`() async throws {
            try await withApp { app in
                let process = try await app.startDownload()
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
                try await app.filesWithoutWindow()
                try await app.opensAgain()
            }
        }

        @Test func `H6: a song is filed when there is no screen any more, too`() async throws {
            try await withApp { app in
                let process = try await app.startDownload()
                app.desktop.loseScreen()
                process.waitUntilExit()
                try await app.filesWithoutWindow()
            }
        }

        @Test
        func `H6: a download that runs is there with its progress when the app is opened again`()
            async throws
        {
            try await withApp { app in
                let process = try await app.startDownload()
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
                _ = try app.launch()
                try await app.search(for: "blue river")
                try await app.showsProgress(of: "176 kB")
                try await app.hurry()
                try await app.shows("Play", role: .button)
            }
        }

        @Test func `USE-6, H6: what runs or is paused is there when the app is opened`()
            async throws
        {
            try await withApp { app in
                let process = try await app.startDownload()
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
                let second = try app.launch()
                try await app.showsProgress(of: "176 kB")
                try app.desktop.keepPicture("running when opened")
                try await app.pressInRow("Pause")
                try await app.shows("Resume", role: .button)
                try await app.press("Close")
                second.waitUntilExit()
                _ = try app.launch()
                try await app.pressInRow("Resume")
                try await app.hurry()
                try await app.shows("Play", role: .button)
            }
        }

        @Test
        func `H1: each error has a page, which offers to try again`() async throws {
            try await withApp { app in
                _ = try app.launch()
                try await app.shows("Find Songs")
                try app.desktop.keepPicture("welcome")
                try await app.trial.change(#"{"status": 503}"#)
                try await app.write("blue river")
                try await app.shows("The catalog is not available now (503). Try again later.")
                try app.desktop.keepPicture("search failed")
                try await app.trial.change(#"{"status": 200}"#)
                try await app.press("Try Again")
                try await app.shows(TestApp.row)
                try await app.write("zzzz")
                try await app.shows("Nothing was found for zzzz. Try other words.")
                try app.desktop.keepPicture("nothing found")
            }
        }

        @Test
        func `H1: without a network there is a page that says so`() async throws {
            // An address of nobody's, which only a network could lead to.
            try await withApp(catalog: "http://192.0.2.1/") { app in
                _ = try app.launchOffline()
                try await app.write("blue river")
                try await app.shows("No Network")
                try app.desktop.keepPicture("no network")
            }
        }

        @Test
        func `P11: to quit and cancel by the menu leaves nothing behind`() async throws {
            try await withApp { app in
                let process = try await app.startDownload()
                try await app.press("Menu")
                try await app.press("Quit and Cancel Downloads…")
                try await app.press("Quit and Cancel")
                process.waitUntilExit()
                #expect(try await app.transfers().isEmpty)
                #expect(!app.hasFiledSong)
            }
        }

        @Test
        func `USE-6: who does not want to quit and cancel keeps the downloads`() async throws {
            try await withApp { app in
                _ = try await app.startDownload()
                try await app.press("Menu")
                try await app.press("Quit and Cancel Downloads…")
                try await app.shows("Quit and Cancel Downloads?")
                try app.desktop.keepPicture("quit and cancel")
                try await app.press("Keep Downloading")
                try await app.hurry()
                try await app.shows("Play", role: .button)
            }
        }

        @Test
        func `P11: a force quit from outside cancels what an open window shows`() async throws {
            try await withApp { app in
                _ = try await app.startDownload()
                _ = try await app.ferry("quit", "io.ferry.HalfTunes")
                try await app.shows("Download", role: .button)
                #expect(try await app.transfers().isEmpty)
                #expect(!app.hasFiledSong)
            }
        }

        @Test(arguments: [Language.german, .vietnamese])
        func `H2: the app speaks its user's language`(language: Language) async throws {
            try await withApp(environment: ["LANGUAGE": language.code]) { app in
                _ = try app.launch()
                try await app.write("river", into: language.entry)
                try await app.press(language.download, in: language.row)
                try await app.shows(language.pause, role: .button)
                try app.desktop.keepPicture("language \(language.code)")
            }
        }

        @Test
        func `USE-18: a song is shown in Files, and moved to the trash`()
            async throws
        {
            try await withApp { app in
                try app.desktop.startFileManager()
                try await app.downloadSong()
                try await app.pressInRow("More")
                try await app.press("Show in Files")
                try await app.desktop.changes.until { !app.desktop.fileManager.shown.isEmpty }
                let shown = app.desktop.fileManager.shown
                #expect(shown.count == 1)
                #expect(shown[0].hasSuffix("/Music/Half%20Tunes/song01.wav"))
                try await app.pressInRow("Play")
                try await app.pressInRow("More")
                try await app.press("Move to Trash")
                try await app.shows("Blue River is in the trash.")
                try await app.shows("Download", role: .button)
                try app.desktop.keepPicture("removed")
                #expect(!app.hasFiledSong)
                #expect(app.filed(".local/share/Trash/files/song01.wav") != nil)
            }
        }

        @Test func `USE-18: without a file manager on the bus, the folder is opened`() async throws
        {
            try await withApp { app in
                try app.installFolderProgram()
                try await app.downloadSong()
                try await app.pressInRow("More")
                try await app.press("Show in Files")
                try await app.desktop.changes.until { !app.desktop.notifications.shown.isEmpty }
                let body = app.desktop.notifications.shown[0].body
                #expect(
                    body.hasSuffix("/Music/Half%20Tunes") || body.hasSuffix("/Music/Half Tunes")
                )
            }
        }

        @Test func `USE-18: the last search is there when the app is opened again`() async throws {
            try await withApp { app in
                let process = try app.launch()
                try await app.search(for: "blue river")
                try await app.press("Close")
                process.waitUntilExit()
                _ = try app.launch()
                try await app.shows(TestApp.row)
            }
        }

        @Test func `USE-18: the keys and the version are shown`() async throws {
            try await withApp { app in
                _ = try app.launch()
                try await app.press("Menu")
                try await app.press("Keyboard Shortcuts")
                try await app.shows("Play or pause the song")
                try app.desktop.keepPicture("shortcuts")
            }
            try await withApp { app in
                _ = try app.launch()
                try await app.press("Menu")
                try await app.press("About Half Tunes")
                try await app.shows("0.1.0")
                try app.desktop.keepPicture("about")
            }
        }

        @Test func `USE-18: a song that is not there any more says so in its row`() async throws {
            try await withApp { app in
                _ = try app.launch()
                try await app.search(for: "blue river")
                try await app.trial.change(#"{"status": 404}"#)
                try await app.pressInRow("Download")
                try await app.shows("The file is not there any more (404).")
                try app.desktop.keepPicture("failed")
                try await app.trial.change(#"{"status": 200}"#)
                try await app.hurry()
                try await app.pressInRow("Download")
                try await app.shows("Play", role: .button)
            }
        }

        @Test func `H2: all of a row fits into 360 pixels, and into a dark desktop`() async throws {
            try await withApp(
                buttons: ":minimize,maximize,close",
                environment: ["ADW_DEBUG_COLOR_SCHEME": "prefer-dark"]
            ) { app in
                _ = try app.launch()
                try await app.search(for: "blue")
                try await app.pressInRow("Download")
                try await app.showsProgress(of: "176 kB")
                try app.desktop.keepPicture("dark")
                app.desktop.resize(width: 360, height: 640)
                try await app.desktop.changes.until {
                    try app.desktop.right(of: "Cancel", in: TestApp.row).map { $0 <= 360 } ?? false
                }
                #expect(try app.desktop.right(of: "Close").map { $0 <= 360 } == true)
                try app.desktop.keepPicture("dark and narrow")
            }
        }
    }
}
