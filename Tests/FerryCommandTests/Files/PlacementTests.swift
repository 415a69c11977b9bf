import FerrySystem
import FerryTestSupport
import Foundation
@preconcurrency import Glibc
import Testing

@testable import FerryCommand

@Suite(.timeLimit(.minutes(5))) struct PlacementTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func move(
        _ source: String,
        to target: String? = nil,
        as name: String = "big.iso"
    ) throws -> String {
        try Placement.move(
            source,
            to: target ?? "\(directory.path)/out",
            as: FileName(chosen: name),
            permissions: 0o640
        ).path
    }

    private func permissions(_ path: String) throws -> Int {
        try #require(
            FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        )
    }

    @Test func `a file moves to its place, which is made, with its permissions`() throws {
        let source = try directory.write("body", to: "source")
        let path = try move(source)
        #expect(path == "\(directory.path)/out/big.iso")
        #expect(try directory.text(of: "out/big.iso") == "body")
        #expect(try directory.names == ["out"])
        #expect(try permissions(path) == 0o640)
    }

    @Test func `a taken name gets the next free number, and what has it stays`() throws {
        for body in ["first", "second", "third"] {
            _ = try move(try directory.write(body, to: "source"))
        }
        #expect(try directory.text(of: "out/big.iso") == "first")
        #expect(try directory.text(of: "out/big.iso.1") == "second")
        #expect(try directory.text(of: "out/big.iso.2") == "third")
    }

    private func place(
        _ body: String,
        in out: String,
        usesUnnamedFiles: Bool = true,
        begun: Int64? = .max
    ) throws -> String {
        try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
        return try Placement.move(
            try directory.write(body, to: "source"),
            to: Directory(opening: out),
            as: FileName(chosen: "big.iso"),
            Placement.Attributes(
                permissions: 0o640,
                modificationTime: 1_000_000_000,
                precedence: .new,
                begun: begun
            ),
            usesUnnamedFiles: usesUnnamedFiles
        ).path
    }

    @Test(arguments: [true, false])
    func `a file that is to replace another takes its name, on any file system`(
        usesUnnamedFiles: Bool
    ) throws {
        let other = try TemporaryDirectory(in: "/dev/shm")
        for out in ["\(directory.path)/out", "\(other.path)/out"] {
            let first = try place("first", in: out, usesUnnamedFiles: usesUnnamedFiles)
            #expect(try place("second", in: out, usesUnnamedFiles: usesUnnamedFiles) == first)
            #expect(try String(contentsOfFile: first, encoding: .utf8) == "second")
            #expect(try FileManager.default.contentsOfDirectory(atPath: out) == ["big.iso"])
            var status = stat()
            #expect(stat(first, &status) == 0)
            #expect(status.st_mtim.tv_sec == 1_000_000_000)
            #expect(try permissions(first) == 0o640)
        }
    }

    @Test(arguments: ["link", "directory", "changed", "unknown"])
    func `a link, a directory, and what was changed meanwhile are not replaced`(kind: String) throws
    {
        let out = "\(directory.path)/out"
        let manager = FileManager.default
        try manager.createDirectory(atPath: out, withIntermediateDirectories: true)
        var begun: Int64? = .max
        switch kind {
        case "link":
            let target = try directory.write("target", to: "target")
            try manager.createSymbolicLink(atPath: "\(out)/big.iso", withDestinationPath: target)
        case "directory":
            try manager.createDirectory(
                atPath: "\(out)/big.iso",
                withIntermediateDirectories: false
            )
        case "changed":
            begun = 1_700_000_000_000_000_000
            try directory.write("mine", to: "out/big.iso")
        default:
            begun = nil
            try directory.write("mine", to: "out/big.iso")
        }
        #expect(try place("new", in: out, begun: begun) == "\(out)/big.iso.1")
        #expect(try directory.text(of: "out/big.iso.1") == "new")
    }

    @Test func `a file that replaces another gets its permissions`() throws {
        let out = "\(directory.path)/out"
        try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
        let path = try directory.write("old", to: "out/big.iso")
        #expect(chmod(path, 0o600) == 0)
        #expect(try place("new", in: out) == path)
        #expect(try permissions(path) == 0o600)
    }

    @Test func `a process that died before the old file was replaced is continued`() throws {
        let out = "\(directory.path)/out"
        try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
        try directory.write("old", to: "out/big.iso")
        let source = try directory.write("new", to: "source")
        #expect(link(source, "\(out)/big.iso.1") == 0)
        let placed = try Placement.move(
            source,
            to: Directory(opening: out),
            as: FileName(chosen: "big.iso"),
            Placement.Attributes(permissions: 0o640, precedence: .new, begun: .max)
        )
        #expect(placed.path == "\(out)/big.iso")
        #expect(try directory.text(of: "out/big.iso") == "new")
        #expect(try FileManager.default.contentsOfDirectory(atPath: out) == ["big.iso"])
    }

    @Test(arguments: ["dangling", "directory"])
    func `a link or a directory of that name counts as taken`(kind: String) throws {
        let out = "\(directory.path)/out"
        let manager = FileManager.default
        try manager.createDirectory(atPath: out, withIntermediateDirectories: true)
        if kind == "directory" {
            try manager.createDirectory(
                atPath: "\(out)/big.iso",
                withIntermediateDirectories: false
            )
        } else {
            try manager.createSymbolicLink(
                atPath: "\(out)/big.iso",
                withDestinationPath: "\(directory.path)/elsewhere"
            )
        }
        #expect(try move(try directory.write("body", to: "source")) == "\(out)/big.iso.1")
        #expect(try directory.names == ["out"])
    }

    @Test func `a process that died between two steps is continued, not repeated`() throws {
        let source = try directory.write("body", to: "source")
        let out = "\(directory.path)/out"
        try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
        #expect(link(source, "\(out)/big.iso") == 0)
        #expect(try move(source) == "\(out)/big.iso")
        #expect(try directory.names == ["out"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: out) == ["big.iso"])
    }

    @Test func `to another file system the bytes are copied, without a trace of the way`() throws {
        let shared = "/dev/shm/ferry-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: shared) }
        let body = String(repeating: "0123456789", count: 100_000)
        let source = try directory.write(body, to: "source")
        try #require(isOtherFileSystem("/dev/shm", than: directory.path), "needs two file systems")
        #expect(try move(source, to: shared) == "\(shared)/big.iso")
        #expect(try move(directory.write("2", to: "source"), to: shared) == "\(shared)/big.iso.1")
        #expect(try String(contentsOfFile: "\(shared)/big.iso", encoding: .utf8) == body)
        #expect(try permissions("\(shared)/big.iso") == 0o640)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: shared).sorted()
                == ["big.iso", "big.iso.1"]
        )
        #expect(try directory.names == [])
    }

    @Test func `a copy that was cut short by a crash is begun again`() throws {
        let shared = "/dev/shm/ferry-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: shared) }
        try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: true)
        try "half".write(toFile: "\(shared)/.ferry-source", atomically: false, encoding: .utf8)
        try #require(isOtherFileSystem("/dev/shm", than: directory.path), "needs two file systems")
        #expect(try move(directory.write("whole", to: "source"), to: shared) == "\(shared)/big.iso")
        #expect(try String(contentsOfFile: "\(shared)/big.iso", encoding: .utf8) == "whole")
        #expect(try FileManager.default.contentsOfDirectory(atPath: shared) == ["big.iso"])
    }

    @Test func `a file that cannot be moved stays where it was`() throws {
        let source = try directory.write("body", to: "source")
        let obstacle = try directory.write("", to: "file")
        let error = #expect(throws: FileError.self) { try move(source, to: "\(obstacle)/out") }
        #expect(error?.call == "open")
        #expect(error?.description == "\(obstacle)/out: Not a directory (open)")
        #expect(try directory.text(of: "source") == "body")
    }

    @Test(arguments: ["link", "second name", "directory", "pipe"])
    func `SEC-4: what was put in the place of a finished file is not handed over`(
        kind: String
    ) throws {
        let secret = try directory.write("secret", to: "secret")
        #expect(chmod(secret, 0o600) == 0)
        let source = "\(directory.path)/source"
        switch kind {
        case "link": #expect(symlink(secret, source) == 0)
        case "second name": #expect(link(secret, source) == 0)
        case "directory": #expect(mkdir(source, 0o700) == 0)
        default: #expect(mkfifo(source, 0o600) == 0)
        }
        #expect(throws: FileError.self) { try move(source) }
        #expect(try permissions(secret) == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(directory.path)/out") == [])
    }

    @Test(.enabled(if: geteuid() == 0, "gives a file away"))
    func `SEC-4: another user's file in the place of a finished one is not handed over`() throws {
        let source = try directory.write("theirs", to: "source")
        #expect(chown(source, 1, 1) == 0)
        let error = #expect(throws: FileError.self) { try move(source) }
        #expect(error?.description == "\(source): Operation not permitted (open)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(directory.path)/out") == [])
    }

    private func isOtherFileSystem(_ left: String, than right: String) -> Bool {
        var one = stat()
        var other = stat()
        return stat(left, &one) == 0 && stat(right, &other) == 0 && one.st_dev != other.st_dev
    }
}
