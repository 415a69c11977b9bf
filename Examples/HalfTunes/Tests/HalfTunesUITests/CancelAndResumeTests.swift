import Foundation
import HalfTunesTestSupport
import Testing

extension WindowTests {
    @Suite struct CancelAndResumeTests {
        private static let file = "Pictures/Cancel and Resume/night.png"

        /// Half a minute for a picture, so that there is time to do something meanwhile.
        private func withApp(
            _ name: String = #function,
            _ body: (TestApp) async throws -> Void
        ) async throws {
            try await TestApp.run("cancel-and-resume", rate: 200_000, name, body)
        }

        @Test
        func `B2: what was cancelled is resumed by a later launch`() async throws {
            try await withApp { app in
                let process = try app.launch()
                try await app.press("Start: Night")
                try await app.showsProgress(of: "6.5 MB")
                try await app.press("Cancel: Night")
                try await app.shows("Resume: Night")
                try app.desktop.keepPicture("cancel and resume")
                try await app.press("Close")
                process.waitUntilExit()
                #expect(process.terminationReason == .exit)
                _ = try app.launch()
                try await app.press("Resume: Night")
                try await app.hurry()
                try await app.shows("Downloaded")
                try app.desktop.keepPicture("cancel and resume, done")
                #expect(app.filed(Self.file) == (try await app.picture("night")))
            }
        }

        @Test
        func `P14: what an app has not got when it must end goes on in ferryd`()
            async throws
        {
            try await withApp { app in
                let process = try app.launch()
                try await app.press("Start: Night")
                try await app.showsProgress(of: "6.5 MB")
                #expect(try await app.transfers().isEmpty)
                kill(process.processIdentifier, SIGTERM)
                process.waitUntilExit()
                #expect(try await app.transfers().contains("running"))
                try await app.hurry()
                try await app.isNotified("Picture Downloaded", "Night")
                #expect(app.filed(Self.file) == (try await app.picture("night")))
            }
        }
    }
}
