import FerrySystem
import FerryTestSupport
import Foundation
import Testing

/// Files that are there already when they are downloaded again.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ReplacedFileTests {
    private let home: TestHome

    init() throws { home = try TestHome() }

    private func text() throws -> String {
        try String(contentsOfFile: home.files + "/a.txt", encoding: .utf8)
    }

    private func get(_ options: String..., from server: FixtureServer) async throws -> String {
        let run = try await home.ferry(
            ["get", "-d", home.files] + options + [server.url("/a.txt")]
        )
        #expect(run.exit == .exited(status: 0), "\(run.error)")
        return run.error
    }

    @Test func `a file is loaded again only if the server's is newer, and then replaces it`()
        async throws
    {
        let server = try FixtureServer()
        server.on("/a.txt", .file(FixtureFile(.text("first"))))
        _ = try await get("-N", from: server)
        #expect(try text() == "first")
        server.on("/a.txt", .status(304))
        #expect(try await get("-N", from: server).contains("a.txt: unchanged"))
        let request = try #require(server.requests.last)
        #expect(request["If-Modified-Since"] == "Mon, 02 Nov 2026 08:00:00 GMT")
        #expect(try text() == "first")
        #expect(try await home.ferry("watch", "2").error.contains("/a.txt was left as it is at "))
        // Not every server knows the field.
        server.on("/a.txt", .file(FixtureFile(.text("older"))))
        #expect(try await get("-N", from: server).contains("a.txt: unchanged"))
        #expect(try text() == "first")
        server.on(
            "/a.txt",
            .file(FixtureFile(.text("second"), lastModified: "Tue, 03 Nov 2026 08:00:00 GMT"))
        )
        _ = try await get("-N", from: server)
        #expect(try text() == "second")
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.files) == ["a.txt"])
    }

    @Test func `a newer file is continued after a loss, as any other`() async throws {
        let server = try FixtureServer()
        let content = FixtureContent.seeded(8, byteCount: 900_000)
        let left = Countdown(3)
        server.on("/a.txt") { _ in
            FixtureAnswer { request in
                let new = FixtureFile(content, lastModified: "Mon, 30 Nov 2037 08:00:00 GMT")
                var response = new.response(to: request)
                if left.take() { response.incidents = [(200_000, .drop)] }
                return response
            }
        }
        try Data("old".utf8).write(to: URL(filePath: home.files + "/a.txt"))
        _ = try await get("-N", "--connections", "1", from: server)
        let arrived = try Data(contentsOf: URL(filePath: home.files + "/a.txt"))
        #expect(content.firstDifference(from: Array(arrived)) == nil)
        let requests = server.requests
        #expect(requests.first?["If-Modified-Since"] != nil)
        #expect(
            requests.dropFirst().allSatisfy { $0.range != nil && $0["If-Modified-Since"] == nil }
        )
        #expect(requests.count == 4)
    }

    @Test func `two files of a command never replace each other`() async throws {
        let server = try FixtureServer()
        server.on("/1/a.txt", .content(.text("first")))
        server.on("/2/a.txt", .content(.text("second")))
        let run = try await home.ferry(
            "get",
            "--overwrite",
            "-d",
            home.files,
            server.url("/1/a.txt"),
            server.url("/2/a.txt")
        )
        #expect(run.exit == .exited(status: 0), "\(run.error)")
        let names = try FileManager.default.contentsOfDirectory(atPath: home.files).sorted()
        #expect(names == ["a.txt", "a.txt.1"])
    }

    @Test func `--skip-existing leaves out what is there when the file is complete, too`()
        async throws
    {
        let server = try FixtureServer()
        server.on(
            "/x",
            .content(.text("new")).with(
                fields: [("Content-Disposition", "attachment; filename=a.txt")]
            )
        )
        try Data("mine".utf8).write(to: URL(filePath: home.files + "/a.txt"))
        let run = try await home.ferry("get", "--skip-existing", "-d", home.files, server.url("/x"))
        #expect(run.error.contains("unchanged"), "\(run.error)")
        #expect(try text() == "mine")
        let names = try FileManager.default.contentsOfDirectory(atPath: home.files)
        #expect(names == ["a.txt"])
    }

    @Test func `--overwrite replaces a file, and without it the new one has another name`()
        async throws
    {
        let server = try FixtureServer()
        for content in ["first", "second", "third"] {
            server.on("/a.txt", .content(.text(content)))
            if content == "second" {
                _ = try await get(from: server)
            } else {
                _ = try await get("--overwrite", from: server)
            }
        }
        #expect(try text() == "third")
        let names = try FileManager.default.contentsOfDirectory(atPath: home.files).sorted()
        #expect(names == ["a.txt", "a.txt.1"])
    }
}
