import Foundation
import HalfTunesTestSupport
import Testing

extension WindowTests {
    @Suite struct BackgroundTransferTests {
        private static let file = "Pictures/Background Transfer/evening.png"

        /// Half a minute for the picture, so that there is time to do something meanwhile.
        private func withApp(
            _ name: String = #function,
            _ body: (TestApp) async throws -> Void
        ) async throws {
            try await TestApp.run("background-transfer", rate: 200_000, name, body)
        }

        private func comesWithoutWindow(_ app: TestApp) async throws {
            try await app.hurry()
            try await app.isNotified("Picture Downloaded", "evening.png")
            #expect(app.filed(Self.file) == (try await app.picture("evening")))
        }

        @Test
        func `B1, P9: a picture comes while the window is closed, is filed, told and shown`()
            async throws
        {
            try await withApp { app in
                let process = try app.launch()
                try await app.showsProgress(of: "6.5 MB")
                try app.desktop.keepPicture("background transfer")
                try await app.press("Close")
                process.waitUntilExit()
                #expect(process.terminationReason == .exit)
                try await comesWithoutWindow(app)
                _ = try app.launch()
                try await app.shows("Download Again", role: .button)
                try app.desktop.keepPicture("background transfer, done")
            }
        }

        @Test
        func `B1: when app and ferryd were killed, as by a power cut, the next launch goes on`()
            async throws
        {
            try await withApp { app in
                let process = try app.launch()
                try await app.showsProgress(of: "6.5 MB")
                try await app.killDaemon()
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
                _ = try app.launch()
                try await app.showsProgress(of: "6.5 MB")
                try await app.hurry()
                try await app.shows("Download Again", role: .button)
                #expect(app.filed(Self.file) == (try await app.picture("evening")))
            }
        }

        @Test func `B1: an error has a page, which offers to try again`() async throws {
            try await withApp { app in
                try await app.trial.change(#"{"status": 404}"#)
                _ = try app.launch()
                try await app.shows("The Picture Did Not Come")
                try app.desktop.keepPicture("background transfer, failed")
                try await app.trial.change(#"{"status": 200, "rate": 0}"#)
                try await app.press("Try Again")
                try await app.shows("Download Again", role: .button)
            }
        }
    }
}
