import FerryTestSupport
import Foundation
import Testing

/// How long servers live that tests have started.
@Suite(.timeLimit(.minutes(1))) struct ServerLifeTests {
    @Test func `servers end with the tests, even when these are killed`() async throws {
        let tests = await #expect(
            processExitsWith: .signal(SIGKILL),
            observing: [\.standardOutputContent]
        ) {
            let home = try TestHome()
            let nginx = try await Nginx(in: home)
            let proxy = try await Tinyproxy(in: home)
            let httpbin = try await HTTPBin.shared
            let processes = [
                nginx.processIdentifier, proxy.processIdentifier, httpbin.processIdentifier,
            ]
            FileHandle.standardOutput.write(Data("servers \(processes) of \(home.path)\n".utf8))
            kill(getpid(), SIGKILL)
        }
        let output = String(decoding: tests?.standardOutputContent ?? [], as: UTF8.self)
        let line = try #require(output.split(separator: "\n").last { $0.hasPrefix("servers ") })
        let processes = line.matches(of: /\b[0-9]+\b/).prefix(3).compactMap { Int32($0.output) }
        #expect(processes.count == 3)
        for process in processes { await TestHome.untilEnd(of: process) }
        if let home = line.split(separator: " of ").last {
            try FileManager.default.removeItem(atPath: String(home))
        }
    }
}
