import FerrySystem
import FerryTransfer
import Foundation
import Glibc
import Testing

@testable import Ferry

@Suite("The directory of downloads", .timeLimit(.minutes(5)))
struct DownloadDirectoryTests {
    private let directory: Directory

    init() throws {
        let path = Home.path + "/sweep-\(UUID().uuidString)"
        directory = try Directory(opening: path, creatingPrivate: true)
    }

    private func add(_ names: String...) throws {
        for name in names { _ = try directory.open(name, .createNew) }
    }

    @Test func `old files of downloads are removed, and nothing else`() throws {
        try add("A.partial", "A.partial.record", "CFNetworkDownload_abc123.tmp", "song.mp3")
        try add("CFNetworkDownload_abc123.tmp.record")
        DownloadDirectory.sweep(directory, now: Date() + DownloadDirectory.greatestAge - 60)
        #expect(try directory.names().count == 5)
        DownloadDirectory.sweep(directory, now: Date() + DownloadDirectory.greatestAge + 60)
        #expect(try directory.names() == ["song.mp3"])
    }

    @Test func `no two partial files have the same name`() {
        #expect(Set((0..<100).map { _ in DownloadDirectory.partialName() }).count == 100)
    }

    @Test func `no two finished files have the same name, which has the form of Apple's`() {
        let names = (0..<10_000).map { _ in DownloadDirectory.finishedName() }
        #expect(Set(names).count == names.count)
        #expect(
            names.allSatisfy { $0.wholeMatch(of: /CFNetworkDownload_[A-Za-z0-9]{6}\.tmp/) != nil }
        )
    }

    @LoopActor
    @Test func `a finished file that another process has under the same name stays`() throws {
        let taken = URL(filePath: directory.path(of: "taken"))
        try Data("theirs".utf8).write(to: taken)
        let file = PartialFile(directory: directory, name: "A.partial", recordKeeping: .onDemand)
        try file.begin(ResourceVersion(validator: nil, totalByteCount: 0, url: "http://a/"))
        var names = ["free", "taken"]
        let path = try DownloadDirectory.publish(file) { names.removeLast() }
        #expect(path.hasSuffix("/free"))
        #expect(try Data(contentsOf: taken) == Data("theirs".utf8))
        #expect(try directory.names().sorted() == ["free", "taken"])
    }

    @LoopActor
    @Test func `a file has the name that the app sees from the beginning`() throws {
        let file = DownloadDirectory.makeFile(in: directory)
        try file.begin(ResourceVersion(validator: nil, totalByteCount: 0, url: "http://a/"))
        let names = try directory.names()
        #expect(names.count == 1)
        #expect(
            names.first?.wholeMatch(of: /CFNetworkDownload_[A-Za-z0-9]{6}\.tmp/) != nil
        )
        let path = try DownloadDirectory.publish(file)
        #expect(names.first.map { path.hasSuffix("/\($0)") } == true)
        #expect(try directory.names() == names)
    }

    @LoopActor
    @Test func `the directory is looked for in each turn of the loop`() async throws {
        _ = Home.path
        let engine = InProcessEngine(configuration: URLSessionConfiguration.ephemeral.snapshot)
        let first = try engine.downloadDirectory()
        try FileManager.default.moveItem(atPath: first.path, toPath: Home.path + "/\(UUID())")
        await withCheckedContinuation { continuation in
            LoopActor.perform { continuation.resume() }
        }
        let second = try engine.downloadDirectory()
        #expect(second !== first)
        #expect(second.isInPlace)
    }

    @LoopActor
    @Test func `a file that cannot be moved is an error`() throws {
        let file = PartialFile(directory: directory, name: "A.partial", recordKeeping: .onDemand)
        try file.begin(ResourceVersion(validator: nil, totalByteCount: 0, url: "http://a/"))
        try directory.remove("A.partial")
        #expect(throws: TransferError.self) { try DownloadDirectory.publish(file) }
    }

    @Test func `a directory that was cleared away is made again`() throws {
        _ = Home.path
        let first = try DownloadDirectory.open()
        #expect(try DownloadDirectory.open() === first)
        try FileManager.default.moveItem(atPath: first.path, toPath: Home.path + "/\(UUID())")
        let second = try DownloadDirectory.open()
        #expect(second !== first)
        #expect(second.path == first.path)
        #expect(second.isInPlace && !first.isInPlace)
    }

    @Test func `without a cache the files are among the temporary ones`() async {
        await #expect(processExitsWith: .success) {
            try Self.useTemporaryDirectory()
            let directory = try DownloadDirectory.open()
            #expect(directory.path == Home.path + "/ferry-\(NSUserName())/downloads")
        }
    }

    /// Leaves this process no cache, and an empty directory of its own for temporary files.
    private static func useTemporaryDirectory() throws {
        // It sets the cache's place itself, when it is first asked for.
        _ = try Directory(opening: Home.path, creatingPrivate: true)
        ProcessEnvironment.set("XDG_CACHE_HOME", "/proc/nowhere")
        ProcessEnvironment.set("TMPDIR", Home.path)
    }

    /// What somebody else may have made where the files are to be.
    enum Trap: String, Codable, CaseIterable, Sendable {
        case openToOthers
        case openWithin
        case link
        case file
    }

    @Test(arguments: Trap.allCases)
    func `SEC-4: a directory that others can write, and made before, is not used`(
        trap: Trap
    ) async {
        await #expect(processExitsWith: .success) { [trap] in
            try Self.useTemporaryDirectory()
            let known = Home.path + "/ferry-\(NSUserName())"
            mkdir(Home.path + "/elsewhere", 0o700)
            switch trap {
            case .openToOthers:
                mkdir(known, 0o700)
                chmod(known, 0o777)
            case .openWithin:
                mkdir(known, 0o700)
                mkdir(known + "/downloads", 0o700)
                chmod(known + "/downloads", 0o777)
            case .link: symlink(Home.path + "/elsewhere", known)
            case .file: try Data().write(to: URL(filePath: known))
            }
            let directory = try DownloadDirectory.open()
            #expect(directory.isPrivate)
            #expect(directory.path.hasPrefix(known + "-"))
            let parent = directory.path.split(separator: "/").dropLast().joined(separator: "/")
            #expect(BaseDirectories.isPrivateDirectory("/" + parent))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: Home.path + "/elsewhere") == []
            )
        }
    }
}
