import FerryTestSupport
import Glibc
import Testing

@testable import FerrySystem

/// What the kernel tells of changes to entries of directories.
@Suite(.timeLimit(.minutes(1))) @LoopActor struct DirectoryChangesTests {
    private let temporary: TemporaryDirectory
    private var path: String { temporary.path }

    init() throws { temporary = try TemporaryDirectory() }

    private func changes(isAwaited: Bool = false) throws -> DirectoryChanges {
        try DirectoryChanges(of: [DirectoryEntry("a", in: path, isAwaited: isAwaited)])
    }

    @Test func `without changes there is nothing to take`() throws {
        try temporary.write("1", to: "a")
        let changes = try changes()
        #expect(!changes.take())
        _ = try temporary.text(of: "a")
        #expect(!changes.take())
    }

    @Test
    func `a file that is written, replaced, moved away, removed or made readable has changed`()
        throws
    {
        let changes = try changes()
        try temporary.write("1", to: "a")
        #expect(changes.take())
        #expect(!changes.take())
        try temporary.write("2", to: "a")
        #expect(changes.take())
        try temporary.write("3", to: "b")
        #expect(!changes.take())
        #expect(rename(path + "/b", path + "/a") == 0)
        #expect(changes.take())
        #expect(chmod(path + "/a", 0o400) == 0)
        #expect(changes.take())
        #expect(rename(path + "/a", path + "/c") == 0)
        #expect(changes.take())
        #expect(symlink("c", path + "/a") == 0)
        #expect(changes.take())
        #expect(unlink(path + "/a") == 0)
        #expect(changes.take())
    }

    @Test func `of an entry that is awaited only its appearance counts`() throws {
        let changes = try changes(isAwaited: true)
        #expect(mkdir(path + "/b", 0o700) == 0)
        #expect(!changes.take())
        #expect(mkdir(path + "/a", 0o700) == 0)
        #expect(changes.take())
        #expect(chmod(path + "/a", 0o500) == 0)
        #expect(!changes.take())
    }

    @Test func `two paths to one directory are both followed`() throws {
        #expect(symlink(".", path + "/link") == 0)
        let changes = try DirectoryChanges(of: [
            DirectoryEntry("a", in: path, isAwaited: true), DirectoryEntry("b", in: path + "/link"),
        ])
        try temporary.write("1", to: "b")
        #expect(changes.take())
        try temporary.write("1", to: "a")
        #expect(changes.take())
    }

    @Test func `a directory that is removed or moved has changed`() throws {
        for change in [{ rmdir($0) }, { rename($0, $0 + "2") }] as [(String) -> Int32] {
            let directory = path + "/d"
            #expect(mkdir(directory, 0o700) == 0)
            let changes = try DirectoryChanges(of: [DirectoryEntry("a", in: directory)])
            #expect(change(directory) == 0)
            #expect(changes.take())
        }
    }

    @Test func `a loss of changes counts as one`() throws {
        let text = try String(
            decoding: Directory(opening: "/proc/sys/fs/inotify").open("max_queued_events", .read)
                .readToEnd(limit: 100),
            as: UTF8.self
        )
        let limit = try #require(Int(text.filter(\.isNumber)))
        let memory = try TemporaryDirectory(in: "/dev/shm")
        let files = try ["b", "c"].map { try memory.write("", to: $0) }
        let changes = try DirectoryChanges(of: [DirectoryEntry("a", in: memory.path)])
        // Equal events that come one after the other are one: two take turns.
        for number in 0...limit { chmod(files[number % 2], 0o600) }
        #expect(changes.take())
        chmod(files[0], 0o600)
        #expect(!changes.take())
    }

    @Test func `a directory that is missing, or none, is an error with its path`() throws {
        try temporary.write("1", to: "file")
        for (name, code) in [("gone", ENOENT), ("file", ENOTDIR)] {
            let error = #expect(throws: SystemCallError.self) {
                try DirectoryChanges(of: [DirectoryEntry("a", in: "\(path)/\(name)")])
            }
            #expect(error?.errno == code)
            #expect(error?.subject == "\(path)/\(name)")
        }
    }

    @Test func `an observation is told of changes until it is cancelled`() async throws {
        var observation: DirectoryObservation?
        let changes = try changes()
        try await withCheckedThrowingContinuation { (told: CheckedContinuation<Void, any Error>) in
            do {
                observation = try DirectoryObservation(changes) { told.resume() }
                try temporary.write("1", to: "a")
            } catch {
                told.resume(throwing: error)
            }
        }
        observation?.cancel()
        // A second call would be a fatal one.
        try temporary.write("2", to: "a")
        await BlockingQueue(label: "test").run {}
        observation = nil
    }
}

/// The local time by the C library.
@Suite(.timeLimit(.minutes(1))) struct LocalTimeTests {
    @Test func `the offset is that of the zone, in summer and in winter`() async {
        await #expect(processExitsWith: .success) {
            setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
            guard LocalTime.offset(at: 1_774_745_999) == 3600,
                LocalTime.offset(at: 1_774_746_000) == 7200, !LocalTime.followsZone
            else { exit(1) }
            exit(0)
        }
    }

    @Test func `a zone that has changed holds when it is read again`() async {
        await #expect(processExitsWith: .success) {
            setenv("TZ", "UTC0", 1)
            guard LocalTime.offset(at: 0) == 0 else { exit(1) }
            setenv("TZ", "XXX-3", 1)
            LocalTime.readZone()
            exit(LocalTime.offset(at: 0) == 10_800 ? 0 : 2)
        }
    }

    @Test func `a moment that no calendar reaches has no offset`() {
        #expect(LocalTime.offset(at: .max) == 0)
        #expect(LocalTime.offset(at: .min) == 0)
    }
}
