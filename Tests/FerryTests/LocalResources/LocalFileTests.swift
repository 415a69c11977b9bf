import FerrySystem
import FerryTestSupport
import Foundation
import FoundationNetworking
@preconcurrency import Glibc
import Testing

@testable import Ferry

@Suite("LocalFile", .timeLimit(.minutes(1)))
struct LocalFileTests {
    private let directory: TemporaryDirectory
    private let queue = BlockingQueue(label: "test files")

    init() throws { directory = try TemporaryDirectory() }

    @Test(arguments: [0, 1, 999, 1000, 1001, 4567])
    func `a file comes in pieces, in order and to its end`(size: Int) async throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 * 31) }
        let file = try await open(URL(fileURLWithPath: directory.write(bytes, to: "a.json")))
        #expect(file.response.expectedContentLength == Int64(size))
        let pieces = try await pieces(of: file, upTo: 1000)
        #expect(pieces.map(\.count).max() ?? 0 <= 1000)
        #expect(Data(pieces.joined()) == Data(bytes))
    }

    @Test(arguments: [
        ("a.txt", "text/plain"), ("a.JSON", "application/json"), ("a.tar.gz", "application/gzip"),
        ("a", "application/octet-stream"), ("a.unheard-of", "application/octet-stream"),
        (".html", "application/octet-stream"),
    ])
    func `the type is that of the extension`(name: String, type: String) async throws {
        let url = URL(fileURLWithPath: try directory.write("x", to: name))
        let response = try await open(url).response
        #expect(response.mimeType == type)
        #expect(response.url == url)
        #expect(response.textEncodingName == nil)
    }

    @Test func `escapes in the path are undone, those that are no UTF-8 too`() async throws {
        try directory.write("x", to: "ä b%20#?.txt")
        let url = URL(fileURLWithPath: "\(directory.path)/ä b%20#?.txt")
        #expect(try await open(url).response.expectedContentLength == 1)
        let name: [UInt8] = [0xff, 0xfe]
        let path = (Array(directory.path.utf8) + [0x2f] + name + [0]).map(CChar.init(bitPattern:))
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        #expect(write(descriptor, "abc", 3) == 3)
        close(descriptor)
        defer { unlink(path) }
        let other = try #require(URL(string: "file://\(directory.path)/%FF%fe"))
        #expect(try await open(other).response.expectedContentLength == 3)
    }

    @Test func `localhost is this machine, other hosts have their own files`() async throws {
        let path = try directory.write("x", to: "a")
        let here = try #require(URL(string: "file://LocalHost\(path)"))
        #expect(try await open(here).response.expectedContentLength == 1)
        let there = try #require(URL(string: "file://example.com\(path)"))
        await expectError(.fileDoesNotExist, for: there)
    }

    @Test func `a missing file and a directory have codes of their own`()
        async throws
    {
        let path = try directory.write("x", to: "a")
        await expectError(.fileDoesNotExist, for: URL(fileURLWithPath: directory.path + "/none"))
        await expectError(.fileIsDirectory, for: URL(fileURLWithPath: directory.path))
        await expectError(.fileDoesNotExist, for: URL(fileURLWithPath: path + "/b"))
        let slash = try #require(URL(string: "file://\(path)/"))
        await expectError(.fileDoesNotExist, for: slash)
    }

    @Test func `a path does not end at a zero`() async throws {
        let path = try directory.write("x", to: "a")
        let url = try #require(URL(string: "file://\(path)%00.txt"))
        await expectError(.fileDoesNotExist, for: url)
    }

    @Test(arguments: ["http://localhost/etc/hostname", "file:etc/hostname", "data:,"])
    func `what is no absolute URL of a file is refused`(text: String) async throws {
        await expectError(.badURL, for: try #require(URL(string: text)))
    }

    @Test func `a pipe that nobody writes to is refused at once`() async throws {
        let path = directory.path + "/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        await expectError(.resourceUnavailable, for: URL(fileURLWithPath: path))
    }

    @Test(.enabled(if: geteuid() != 0, "root may read everything"))
    func `a file that the user must not read`() async throws {
        let path = try directory.write("x", to: "a")
        chmod(path, 0)
        await expectError(.noPermissionsToReadFile, for: URL(fileURLWithPath: path))
    }

    @Test(arguments: [
        (ENOENT, -1100), (ENOTDIR, -1100), (ELOOP, -1100), (ENAMETOOLONG, -1100), (EISDIR, -1101),
        (EACCES, -1102), (EPERM, -1102), (EIO, -1008), (EMFILE, -1008),
    ])
    func `what the system says becomes a code of Apple's`(number: Int32, code: Int) throws {
        let url = URL(fileURLWithPath: "/a")
        let error = URLError(readingFile: SystemCallError(call: "open", errno: number), url: url)
        #expect(error.errorCode == code)
        #expect(error.failingURL == url)
        #expect((error.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == Int(number))
        #expect(error.localizedDescription != "The operation couldn’t be completed.")
    }

    @Test func `what is read is what the file has then`() async throws {
        let file = try await open(URL(fileURLWithPath: directory.write("abc", to: "a")))
        try directory.write("ABCDEF", to: "a")
        let pieces = try await pieces(of: file, upTo: 1000)
        #expect(Data(pieces.joined()) == Data("ABCDEF".utf8))
    }

    @LoopActor
    private func open(_ url: URL) async throws -> LocalFile {
        try await LocalFile.open(url, on: queue)
    }

    @LoopActor
    private func pieces(of file: LocalFile, upTo limit: Int) async throws -> [Data] {
        var pieces: [Data] = []
        while true {
            let piece = try await file.read(upTo: limit)
            if piece.isEmpty { return pieces }
            pieces.append(piece)
        }
    }

    private func expectError(
        _ code: URLError.Code,
        for url: URL,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let error = await #expect(throws: URLError.self, sourceLocation: sourceLocation) {
            _ = try await open(url)
        }
        #expect(error?.code == code, sourceLocation: sourceLocation)
    }
}
