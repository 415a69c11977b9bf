import FerrySystem
import FerryTestSupport
import Foundation
@preconcurrency import Glibc
import Testing

@testable import FerryCommand

/// What other programs have left of a file.
@Suite(.timeLimit(.minutes(1))) struct PartialDownloadTests {
    private let temporary: TemporaryDirectory
    private var path: String { "\(temporary.path)/a.iso" }

    init() throws { temporary = try TemporaryDirectory() }

    private func found() throws -> [String] {
        guard let found = try PartialDownload.find(path) else { return [] }
        let name = found.path.dropFirst(temporary.path.count + 1)
        return ["\(name)", "\(found.byteCount)", "\(found.restByteCount)"]
    }

    @Test(
        arguments: [
            ([:], []), (["a.iso": 0], []), (["a.iso": 9], ["a.iso", "9", "0"]),
            // Firefox keeps the name with an empty file.
            (["a.iso": 0, "a.iso.part": 7], ["a.iso.part", "7", "0"]),
            (["a.iso.crdownload": 5], ["a.iso.crdownload", "5", "0"]),
            (["a.iso": 9, "a.iso.part": 0], ["a.iso", "9", "0"]),
        ] as [([String: Int], [String])]
    )
    func `a file of another program is found by its name`(
        files: [String: Int],
        expected: [String]
    ) throws {
        for (name, count) in files {
            _ = try temporary.write([UInt8](repeating: 1, count: count), to: name)
        }
        #expect(try found() == expected)
    }

    @Test func `a file with a hole is known up to there`() throws {
        _ = try temporary.write([UInt8](repeating: 1, count: 1 << 20), to: "a.iso.part")
        _ = try temporary.write([1, 2, 3], to: "a.iso.part", at: 8 << 20)
        #expect(try found() == ["a.iso.part", "\(1 << 20)", "\(7 << 20 | 3)"])
    }

    @Test func `something else than a file cannot be continued`() throws {
        mkdir(path, 0o700)
        #expect(throws: PartialDownload.Fault.self) { try PartialDownload.find(path) }
        mkfifo("\(temporary.path)/b", 0o600)
        #expect(throws: PartialDownload.Fault.self) {
            try PartialDownload.find("\(temporary.path)/b")
        }
    }

    /// A control file of aria2.
    private static func control(
        version: Int = 1,
        piece: Int = 1 << 20,
        total: Int = 5 << 20,
        bits: [UInt8],
        inFlight: [(index: Int, length: Int, bits: [UInt8])] = []
    ) -> [UInt8] {
        func bytes(_ number: Int, _ count: Int) -> [UInt8] {
            let big = (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
            return version == 0 ? big.reversed() : big
        }
        let head = version == 0 ? [0, 0] : bytes(version, 2)
        let start = head + bytes(0, 4) + bytes(0, 4) + bytes(piece, 4) + bytes(total, 8)
        let pieces = bytes(0, 8) + bytes(bits.count, 4) + bits + bytes(inFlight.count, 4)
        let blocks = inFlight.flatMap {
            bytes($0.index, 4) + bytes($0.length, 4) + bytes($0.bits.count, 4) + $0.bits
        }
        return start + pieces + blocks
    }

    @Test(
        arguments: [
            (control(bits: [0b0000_0000]), 0, 0), (control(bits: [0b1100_0000]), 2 << 20, 2 << 20),
            (control(bits: [0b1101_1000]), 2 << 20, 4 << 20),
            (control(bits: [0b1111_1000]), 5 << 20, 5 << 20),
            (control(version: 0, bits: [0b1100_0000]), 2 << 20, 2 << 20),
            // The third piece has come to its second block.
            (
                control(
                    bits: [0b1101_0000],
                    inFlight: [
                        (4, 1 << 20, [0xFF, 0, 0, 0, 0, 0, 0, 0]),
                        (2, 1 << 20, [0b1101_0000, 0, 0, 0, 0, 0, 0, 0]),
                    ]
                ), 2 << 20 | 32 << 10, 3 << 20
            ),
            (control(total: 5 << 20 | 1, bits: [0b1111_1100]), 5 << 20 | 1, 5 << 20 | 1),
        ] as [([UInt8], Int, Int)]
    )
    func `the bytes of aria2 are those up to the first piece that is missing`(
        control: [UInt8],
        prefix: Int,
        written: Int
    ) throws {
        let file = try #require(Aria2ControlFile(control))
        #expect(file.prefixByteCount == Int64(prefix))
        #expect(file.writtenByteCount == Int64(written))
    }

    @Test(
        arguments: [
            [], [0], [0, 1], [9, 9], Array("a text".utf8), control(version: 2, bits: [0]),
            control(piece: 0, bits: [0]), control(total: 0, bits: [0]), control(bits: []),
            control(bits: [0, 0]), Array(control(bits: [0]).dropLast(5)),
            control(total: -1, bits: [0]),
        ] as [[UInt8]]
    )
    func `what is no control file is refused`(bytes: [UInt8]) throws {
        #expect(Aria2ControlFile(bytes) == nil)
        _ = try temporary.write([1, 2, 3], to: "a.iso")
        _ = try temporary.write(bytes, to: "a.iso.aria2")
        #expect(throws: PartialDownload.Fault.self) { try PartialDownload.find(path) }
    }

    @Test func `a file of aria2 is known as its control file says`() throws {
        _ = try temporary.write([UInt8](repeating: 0, count: 5 << 20), to: "a.iso")
        _ = try temporary.write(Self.control(bits: [0b1101_1000]), to: "a.iso.aria2")
        #expect(try found() == ["a.iso", "\(2 << 20)", "\(2 << 20)"])
    }

    @Test func `every beginning of a control file is refused, or is one`() {
        let whole = Self.control(
            bits: [0xD0],
            inFlight: [(2, 1 << 20, [0xC0, 0, 0, 0, 0, 0, 0, 0])]
        )
        for count in 0...whole.count {
            let file = Aria2ControlFile(Array(whole.prefix(count)))
            #expect(file.map { $0.prefixByteCount <= $0.writtenByteCount || count > 40 } ?? true)
        }
    }
}
