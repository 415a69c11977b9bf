import FerrySystem
import FerryTestSupport
import Foundation
import Glibc
import Testing

/// `ferry get -o -` behind a shell, with a server that breaks connections.
@Suite(.serialized, .timeLimit(.minutes(2))) struct StreamedDownloadTests {
    private static let content = FixtureContent.seeded(5, byteCount: 8_000_000)

    private let home: TestHome
    private let server: FixtureServer

    init() throws {
        home = try TestHome()
        server = try FixtureServer()
    }

    /// Runs a line of the shell in which `ferry` and `$URL` are known.
    private func shell(
        _ line: String
    ) async throws -> (exit: ProcessExit, output: String, error: String) {
        var environment = home.environment
        environment["URL"] = server.url("/file")
        environment["FERRY"] = TestHome.executable("ferry")
        return try await TestProcess.run(
            "/bin/bash",
            ["-c", "set -o pipefail; ferry() { \"$FERRY\" \"$@\"; }; cd \"$HOME\"; \(line)"],
            environment: environment
        )
    }

    private var digest: String {
        get throws {
            try Data(Self.content.bytes).write(to: URL(filePath: home.path + "/expected"))
            return home.path + "/expected"
        }
    }

    @Test(arguments: ["\"v1\"", nil])
    func `through twenty broken connections, each byte is written once and in order`(
        entityTag: String?
    ) async throws {
        let left = Countdown(20)
        server.on("/file") { _ in
            FixtureAnswer { request in
                var response = FixtureFile(Self.content, entityTag: entityTag).response(to: request)
                if left.take() { response.incidents = [(390_000, .drop)] }
                return response
            }
        }
        let run = try await shell("ferry get -q -o - $URL | cmp - \(try digest) && echo same")
        #expect(run.output == "same\n", "\(run.error)")
        #expect(run.exit == .exited(status: 0))
        #expect(left.taken == 20)
        // ferryd has no part in it.
        #expect(home.daemons.isEmpty)
    }

    @Test func `a reader that does not read is waited for, in little memory`() async throws {
        server.on("/file", .content(FixtureContent.seeded(6, byteCount: 150_000_000)))
        let run = try await shell(
            """
            ferry get -q -o - $URL | { read -rN 1; while read -r key value unit; do \
            [ "$key" != VmHWM: ] || echo "$value"; done < /proc/$(pgrep -f "get -q -o -" -u $UID | head -1)/status; cat > /dev/null; }
            """
        )
        let peak = try #require(Int(run.output.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(peak < 64 << 10)
    }

    @Test func `a changed file, a missing one and a closed pipe are failures`() async throws {
        let left = Countdown(1)
        server.on("/file") { _ in
            FixtureAnswer { request in
                let isFirst = left.take()
                let file = FixtureFile(Self.content, entityTag: isFirst ? "\"v1\"" : "\"v2\"")
                var response = file.response(to: request)
                if isFirst { response.incidents = [(390_000, .drop)] }
                return response
            }
        }
        let changed = try await shell("ferry get -q -o - $URL | wc -c")
        #expect(changed.exit == .exited(status: 8))
        #expect(changed.error.contains("the server's file was changed after"))
        server.on("/file", .status(404))
        let missing = try await shell("ferry get -q -o - $URL | wc -c")
        #expect(missing.output == "0\n")
        #expect(missing.error.contains("the server answered 404"))
        #expect(missing.exit == .exited(status: 8))
        server.on("/file", .content(Self.content))
        let closed = try await shell("ferry get -q -o - $URL | head -c 5 | wc -c")
        #expect(closed.output == "5\n")
        #expect(closed.exit == .exited(status: 5))
    }

    @Test func `a pipe with a name gets the bytes, and no file takes its place`() async throws {
        server.on("/file", .content(Self.content))
        let run = try await shell(
            "mkfifo pipe; cmp pipe \(try digest) & ferry get -q -o pipe $URL; wait $! && test -p pipe && echo same"
        )
        #expect(run.output == "same\n", "\(run.error)")
    }
}
