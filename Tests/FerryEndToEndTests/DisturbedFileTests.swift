import FerrySystem
import FerryTestSupport
import Foundation
import Glibc
import Testing

/// A real ferryd, and a program that meddles with its files.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct DisturbedFileTests {
    private let home: TestHome
    private let server: FixtureServer
    private let content = FixtureContent.seeded(7, byteCount: 6_000_000)

    init() throws {
        home = try TestHome()
        server = try FixtureServer()
    }

    @Test(arguments: ["rm", "truncate", "mv"])
    func `SEC-6: what ferryd delivers is the file, whatever was done to it meanwhile`(
        command: String
    ) async throws {
        let (file, gate) = (FixtureFile(content), FixtureGate())
        server.on("/file", .file(file).stalling(after: 4_000_000, at: gate), .file(file))
        async let getting = home.ferry("get", "-d", home.files, server.url("/file"))
        try await server.waitUntil { $0.requests(to: "/file").first?.state == .stalled }
        let downloads = home.state + "/downloads"
        let partial = downloads + "/CFNetworkDownload_000001.tmp"
        try await waitForFiles(in: downloads) {
            var status = stat()
            return stat(partial, &status) == 0 && status.st_size >= 4_000_000
        }
        switch command {
        case "rm": #expect(unlink(partial) == 0)
        case "truncate": #expect(truncate(partial, 0) == 0)
        default:
            try Data([1, 2, 3]).write(to: URL(filePath: home.path + "/other"))
            #expect(rename(home.path + "/other", partial) == 0)
        }
        gate.open()
        let get = try await getting
        #expect(get.exit == .exited(status: 0), "\(get.error)")
        let arrived = try Data(contentsOf: URL(filePath: home.files + "/file"))
        #expect(content.firstDifference(from: Array(arrived)) == nil)
    }
}
