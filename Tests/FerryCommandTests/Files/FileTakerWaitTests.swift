import Ferry
import FerrySystem
import FerryTestSupport
import Foundation
@preconcurrency import Glibc
import Synchronization
import Testing

@testable import FerryCommand

/// Files that cannot be saved now.
@Suite(.serialized, .enabled(if: SmallDisk.canBeMade), .timeLimit(.minutes(2)))
struct FileTakerWaitTests {
    private let temporary: TemporaryDirectory
    private let disk: SmallDisk
    private let point: String
    /// Each pause is long: only what changes ends a wait.
    private let taker: FileTaker

    init() throws {
        temporary = try TemporaryDirectory()
        disk = try SmallDisk(byteCount: 1 << 20)
        point = try temporary.directory.openSubdirectory("point").path
        var taker = FileTaker(environment: ["XDG_DATA_HOME": "\(temporary.path)/data"])
        taker.pause = .seconds(600)
        self.taker = taker
    }

    private func mountDisk() throws {
        try systemCall("mount") { mount(disk.path, point, nil, UInt(MS_BIND), nil) }
    }

    private func unmountDisk() { umount2(point, Int32(MNT_DETACH)) }

    private func destination(_ path: String) throws -> Destination {
        Destination(
            directory: path,
            name: "file",
            permissions: 0o644,
            known: KnownDirectory(try Directory(opening: path))
        )
    }

    /// Takes a file, and calls `change` once it waits.
    private func take(
        _ destination: Destination,
        _ source: String,
        whenWaiting change: @escaping @Sendable (Obstacle) throws -> Void
    ) async throws -> (outcome: Outcome, obstacles: [String]) {
        let obstacles = Mutex<[String]>([])
        let description = try destination.taskDescription
        let queue = BlockingQueue(label: "test.take")
        let outcome = try await queue.run { () throws(FileError) in
            try taker.take(
                URL(fileURLWithPath: source),
                taskDescription: description,
                response: nil,
                url: nil
            ) { obstacle in
                obstacles.withLock { $0.append(obstacle.text) }
                // Later than the wait begins, or before: neither must matter.
                Thread.detachNewThread { #expect(throws: Never.self) { try change(obstacle) } }
            }
        }
        return (outcome, obstacles.withLock { $0 })
    }

    @Test func `PLACE-2: a full disk is waited for`() async throws {
        let source = try temporary.write(String(repeating: "x", count: 100_000), to: "source")
        try disk.fill()
        let disk = disk
        let (outcome, obstacles) = try await take(try destination(disk.path), source) { _ in
            disk.empty()
        }
        #expect(outcome == .saved(path: "\(disk.path)/file", byteCount: 100_000))
        #expect(
            obstacles == ["waits for room: \(disk.path): No space left on device (statvfs)"]
        )
        #expect(try disk.directory.names() == ["file"])
        #expect(try temporary.names == ["point"])
    }

    @Test func `PLACE-2: a disk that can only be read is waited for`() async throws {
        let source = try temporary.write("body", to: "source")
        let destination = try destination(disk.path)
        try disk.setWritable(false)
        let disk = disk
        let (outcome, obstacles) = try await take(destination, source) { _ in
            try disk.setWritable(true)
        }
        #expect(outcome == .saved(path: "\(disk.path)/file", byteCount: 4))
        #expect(obstacles.count == 1)
        #expect(obstacles.first?.hasPrefix("waits for its disk: \(disk.path)/") == true)
        #expect(obstacles.first?.contains(": Read-only file system (") == true)
        #expect(try temporary.names == ["point"])
    }

    @Test(arguments: ["", "/inner"])
    func `PLACE-1: a disk that is not mounted is waited for, and its mount point stays bare`(
        subdirectory: String
    ) async throws {
        let source = try temporary.write("body", to: "source")
        try mountDisk()
        defer { unmountDisk() }
        mkdir(point + "/inner", 0o755)
        let destination = try destination(point + subdirectory)
        unmountDisk()
        let (outcome, obstacles) = try await take(destination, source) { _ in
            #expect(try Directory(opening: point).names() == [])
            try mountDisk()
        }
        #expect(outcome == .saved(path: "\(point)\(subdirectory)/file", byteCount: 4))
        #expect(obstacles == ["waits for its disk: \(point) is not mounted"])
        unmountDisk()
        #expect(try Directory(opening: point).names() == [])
    }

    @Test func `PLACE-1: another disk at the mount point is not the one that is waited for`()
        async throws
    {
        let source = try temporary.write("body", to: "source")
        try mountDisk()
        defer { unmountDisk() }
        let destination = try destination(point)
        unmountDisk()
        try systemCall("mount") { mount("proc", point, "proc", 0, nil) }
        let (outcome, obstacles) = try await take(destination, source) { _ in
            unmountDisk()
            try mountDisk()
        }
        #expect(outcome == .saved(path: "\(point)/file", byteCount: 4))
        #expect(obstacles == ["waits for its disk: \(point) is not mounted"])
    }

    @Test func `PLACE-1: of several disks at one mount point the last one is there`() throws {
        func mountAnother() throws {
            try systemCall("mount") { mount("proc", point, "proc", 0, nil) }
        }
        defer { for _ in 1...4 { unmountDisk() } }
        // As with automount, whose own file system stays below.
        try mountAnother()
        try mountDisk()
        let known = try #require(KnownDirectory(try Directory(opening: point)))
        #expect(known.isOnItsDisk(nil))
        try mountAnother()
        #expect(!known.isOnItsDisk(nil))
        try mountDisk()
        #expect(known.isOnItsDisk(nil))
    }

    @Test(arguments: ["renamed", "removed", "file", "dangling link"])
    func `PLACE-1: a directory that is gone is a failure, which keeps the file, and not made anew`(
        what: String
    ) async throws {
        let source = try temporary.write("body", to: "source")
        let out = try temporary.directory.openSubdirectory("out").path
        let destination = try destination(out)
        switch what {
        case "renamed": #expect(rename(out, out + "-2") == 0)
        case "removed": #expect(rmdir(out) == 0)
        case "file":
            #expect(rmdir(out) == 0)
            _ = try temporary.write("", to: "out")
        default:
            #expect(rmdir(out) == 0)
            #expect(symlink("/nowhere/at/all", out) == 0)
        }
        let (outcome, obstacles) = try await take(destination, source) { _ in }
        let kept = "\(temporary.path)/data/ferry/unplaced/file"
        guard case .failed(let reason) = outcome else {
            Issue.record("no failure")
            return
        }
        #expect(reason.code == "cannotPlace")
        #expect(reason.message.hasPrefix(out + ": "))
        #expect(reason.message.hasSuffix("; the file is kept as \(kept)"))
        #expect(try String(contentsOfFile: kept, encoding: .utf8) == "body")
        #expect(obstacles == [])
        #expect((try? Directory(opening: out)) == nil)
    }

    @Test(arguments: ["directory", "link"])
    func `PLACE-1: a directory that its user has replaced gets the file`(what: String) async throws
    {
        let source = try temporary.write("body", to: "source")
        let out = try temporary.directory.openSubdirectory("out").path
        let destination = try destination(out)
        #expect(rename(out, out + "-2") == 0)
        if what == "link" { #expect(symlink(disk.path, out) == 0) } else { mkdir(out, 0o755) }
        let (outcome, _) = try await take(destination, source) { _ in }
        #expect(outcome == .saved(path: "\(out)/file", byteCount: 4))
    }

    @Test func `PLACE-1: a finished file that was removed is a failure that names it`() async throws
    {
        let out = try temporary.directory.openSubdirectory("out").path
        let source = temporary.path + "/source"
        let (outcome, _) = try await take(try destination(out), source) { _ in }
        #expect(
            outcome
                == .failed(
                    .init(
                        code: "fileMissing",
                        message: "\(source) was complete, and was removed before it could be saved"
                    )
                )
        )
    }

    @Test func `PLACE-1: what an earlier process has saved is found, and nothing else`() throws {
        let out = try temporary.directory.openSubdirectory("out").path
        let description = try destination(out).taskDescription
        func find(_ count: Int64) -> Outcome {
            taker.find(taskDescription: description, response: nil, url: nil, byteCount: count)
        }
        #expect(!find(4).isSuccess)
        _ = try temporary.write("another", to: "out/file")
        #expect(!find(4).isSuccess)
        _ = try temporary.write("body", to: "out/file.1")
        #expect(find(4) == .saved(path: "\(out)/file.1", byteCount: 4))
    }

    @Test func `PLACE-1: an older file of the same length is not what was saved`() throws {
        let out = try temporary.directory.openSubdirectory("out").path
        _ = try temporary.write("body", to: "out/file")
        let status = try #require(try Directory(opening: out).status(of: "file"))
        for (asked, isFound) in [(status.changeTime, true), (status.changeTime + 1, false)] {
            var destination = try destination(out)
            destination.asked = asked
            let outcome = taker.find(
                taskDescription: try destination.taskDescription,
                response: nil,
                url: nil,
                byteCount: 4
            )
            #expect(outcome.isSuccess == isFound)
        }
    }

    @Test(
        arguments: [
            (ENOSPC, .noRoom), (EDQUOT, .noRoom), (EROFS, .noDisk), (ENODEV, .noDisk),
            (ESTALE, .noDisk),
            (EIO, .noDisk), (ENOTCONN, .noDisk), (ETIMEDOUT, .noDisk), (ENOKEY, .noDisk),
            (EMFILE, .busy), (ENOMEM, .busy), (EINVAL, .refusedName), (ENAMETOOLONG, .refusedName),
            (EILSEQ, .refusedName), (EACCES, .final), (EPERM, .final), (ENOENT, .final),
            (ENOTDIR, .final), (ELOOP, .final), (EFBIG, .final),
        ] as [(Int32, FileError.Outlook)]
    )
    func `PLACE-2: what passes is waited for, what does not is a failure`(
        code: Int32,
        outlook: FileError.Outlook
    ) {
        let error = FileError(call: "open", path: "/a/b", errno: code)
        #expect(error.outlook == outlook)
        let passes = [.noRoom, .noDisk, .busy].contains(outlook)
        #expect((Obstacle(error, in: "/a") != nil) == passes)
    }
}
