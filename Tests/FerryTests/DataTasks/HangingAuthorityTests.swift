import Ferry
import FerryTestSupport
import Foundation
import Testing

/// Files of trusted authorities whose file system does not answer any more.
@Suite(.enabled(if: HangingDisk.canBeMade), .timeLimit(.minutes(1)))
struct HangingAuthorityTests {
    @Test
    func `REL-1: a file of authorities is read when its session is made, and by no connection`()
        async throws
    {
        _ = Home.path
        let server = try FixtureServer()
        server.on("/other", .content(.text("hello")))
        let disk = try await HangingDisk(byteCount: 1000)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.certificateAuthorityFile = URL(
            filePath: disk.file,
            directoryHint: .notDirectory
        )
        let session = URLSession(configuration: configuration)
        try await disk.hang(.lookup, .open)
        var address = try #require(
            URLComponents(url: try server.address("/other"), resolvingAgainstBaseURL: false)
        )
        address.scheme = "https"
        let secure = try #require(address.url)
        // There is no authority in it.
        await #expect(throws: URLError.self) { try await session.data(from: secure) }
        let (data, _) = try await session.data(from: try server.address("/other"))
        #expect(String(decoding: data, as: UTF8.self) == "hello")
        try await disk.goOn()
    }
}
