import FerrySystem
import FerryTestSupport
import Foundation
import Testing

@testable import Ferry

/// A download of a background session whose ferryd dies.
@Suite("A ported program that insists on 200", .timeLimit(.minutes(2)))
struct MapDownloaderTests {
    private static let size = 4_000_000

    @Test func `API-3: a kill of ferryd does not make a partial answer of a whole one`()
        async throws
    {
        let home = try TestHome()
        let nginx = try await Nginx(in: home, bytesPerSecond: 4_000_000)
        let events = try await EventPipe(in: home)
        let data = try nginx.addFile("map.bin", byteCount: Self.size)
        async let program: Void = run(nginx.url("map.bin"), home, events.path)
        _ = await events.next { line in
            Int(line.dropFirst("received ".count)).map { $0 > Self.size / 3 } == true
        }
        for process in home.daemons { kill(process, SIGKILL) }
        #expect(await events.next { !$0.hasPrefix("received ") } == "saved(byteCount: 4000000)")
        await program
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(home.files)/map.bin")) == data)
        #expect(nginx.requests().map(\.status) == [200, 206])
    }

    /// Runs the program in a process of its own, until its download has ended.
    private func run(_ url: String, _ home: TestHome, _ pipe: String) async {
        let environment = home.environment
        await #expect(processExitsWith: .success) {
            [
                environment = environment as [String: String], url = url as String,
                pipe = pipe as String
            ] in
            for (name, value) in environment { ProcessEnvironment.set(name, value) }
            let output = try #require(FileHandle(forWritingAtPath: pipe))
            let path = try #require(environment["HOME"])
            let ended = Awaited(false)
            let app = MapDownloader(folder: URL(fileURLWithPath: "\(path)/files"))
            Application.shared.relaunch = nil
            app.onEvent = { event in
                if case .received(let count, _) = event {
                    output.write(Data("received \(count)\n".utf8))
                } else {
                    output.write(Data("\(event)\n".utf8))
                    ended.change { $0 = true }
                }
            }
            app.download(try #require(URL(string: url)))
            await ended.wait(until: { $0 })
        }
    }
}
