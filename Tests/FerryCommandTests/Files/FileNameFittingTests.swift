import FerrySystem
import FerryTestSupport
import Foundation
@preconcurrency import Glibc
import Testing

@testable import FerryCommand

/// Names on file systems that do not take every name.
@Suite(.timeLimit(.minutes(1))) struct FileNameFittingTests {
    private static let exFAT = FileSystemNames(type: 0x2011_BAB0, greatestByteCount: 1530)
    private static let ext4 = FileSystemNames(type: 0xEF53, greatestByteCount: 255)
    private static let fuse = FileSystemNames(type: 0x6573_5546, greatestByteCount: 255)

    @Test(arguments: [
        ("a:b?.iso", "a_b_.iso"), ("a*\"<>|b", "a_____b"), ("plain.iso", "plain.iso"),
        ("con", "_con"), ("CON.txt", "_CON.txt"), ("com1.log", "_com1.log"), ("lpt9", "_lpt9"),
        ("console.txt", "console.txt"), ("nul.tar.gz", "_nul.tar.gz"), ("naïve 日本", "naïve 日本"),
        ("2026-11-28T10:00:00Z.log", "2026-11-28T10_00_00Z.log"),
    ])
    func `PLACE-4: a proposed name is fitted to a file system of Windows`(
        proposal: String,
        name: String
    ) throws {
        let name = try #require(FileName(proposal: name)).text
        let proposed = try #require(FileName(proposal: proposal))
        #expect(proposed.spellings(for: Self.exFAT).first?.text == name)
        #expect(Self.exFAT.refusal(of: name) == nil)
        #expect(proposed.spellings(for: Self.ext4).first?.text == proposed.text)
        // What a program's file system takes, only the attempt tells.
        #expect(proposed.spellings(for: Self.fuse).first?.text == proposed.text)
        #expect(proposed.spellings(for: Self.fuse).contains { $0.text == name })
    }

    @Test func `PLACE-4: a name that is cut does not end in a period or a blank`() throws {
        for end in [". x", " x", ".", " .txt"] {
            for length in 220...240 {
                let proposal = String(repeating: "a", count: length) + end + "yz"
                let proposed = try #require(FileName(proposal: proposal))
                for name in proposed.spellings(for: Self.exFAT) {
                    #expect(Self.exFAT.refusal(of: name.text) == nil)
                    #expect(Self.exFAT.refusal(of: name.numbered(10_000, Self.exFAT)) == nil)
                }
            }
        }
    }

    @Test func `PLACE-4: names are cut to what the file system takes`() throws {
        // eCryptfs: its names are longer on the disk.
        let short = FileSystemNames(type: 0xF15F, greatestByteCount: 143)
        let proposed = try #require(FileName(proposal: String(repeating: "ü", count: 200) + ".iso"))
        for name in proposed.spellings(for: short) {
            #expect(name.text.utf8.count <= 143 - 15)
            #expect(name.numbered(123, short).utf8.count <= 143)
        }
        #expect(proposed.spellings(for: short).first?.text.hasSuffix("ü.iso") == true)
    }

    @Test(arguments: [
        ("a:b", true), ("a.", true), ("a ", true), ("what?", true), ("plain", false),
        (".hidden", false), ("a\u{1}", true),
    ])
    func `PLACE-4: a chosen name has one spelling, and is refused where it cannot be`(
        name: String,
        isRefused: Bool
    ) {
        #expect(FileName(chosen: name).spellings(for: Self.exFAT).map(\.text) == [name])
        #expect((Self.exFAT.refusal(of: name) != nil) == isRefused)
        #expect(Self.ext4.refusal(of: name) == nil)
    }

    @Test func `PLACE-4: 255 bytes are not 255 units of UTF-16`() {
        let japanese = String(repeating: "日", count: 200)
        #expect(Self.ext4.refusal(of: japanese) != nil)
        #expect(Self.exFAT.refusal(of: japanese) == nil)
        #expect(Self.exFAT.refusal(of: String(repeating: "日", count: 256)) != nil)
        #expect(Self.exFAT.refusal(of: String(repeating: "🙂", count: 128)) != nil)
        #expect(Self.exFAT.refusal(of: String(repeating: "🙂", count: 127)) == nil)
    }

    @Test func `PLACE-4: a chosen name is refused before anything is loaded, and leaves nothing`()
        throws
    {
        let temporary = try TemporaryDirectory()
        let path = temporary.path
        let error = #expect(throws: UnusableName.self) {
            try UnusableName.check("a:b", in: path, names: Self.exFAT)
        }
        #expect(
            error?.description
                == "no file in '\(path)' can be named 'a:b': ':' cannot be part of a name there; "
                + "choose another name with --output"
        )
        // Only the attempt tells: this name is too long for the file system that is really there.
        #expect(throws: UnusableName.self) {
            let name = String(repeating: "日", count: 100)
            try UnusableName.check(name, in: path, names: Self.exFAT)
        }
        try UnusableName.check("a:b", in: path)
        try UnusableName.check("ab", in: path, names: Self.fuse)
        #expect(try temporary.names == [])
        _ = try temporary.write("mine", to: "taken")
        try UnusableName.check("taken", in: path, names: Self.fuse)
        #expect(try temporary.text(of: "taken") == "mine")
    }

    @Test func `PLACE-4: a name that differs only in what the file system drops is taken`() throws {
        let temporary = try TemporaryDirectory()
        let source = try temporary.write("body", to: "source")
        let target = try temporary.directory.openSubdirectory("out")
        _ = try temporary.write("mine", to: "out/a_b")
        let proposed = try #require(FileName(proposal: "a:b"))
        let (path, _) = try Placement.move(
            source,
            to: target,
            as: proposed,
            .init(permissions: 0o644),
            names: Self.exFAT
        )
        #expect(path == target.path + "/a_b.1")
        #expect(try temporary.text(of: "out/a_b") == "mine")
    }
}
