import FerrySystem
import Foundation
@preconcurrency import Glibc

/// What another program has loaded of a file, and left beside the place of the whole or in it.
struct PartialDownload: Hashable {
    /// A file that cannot be continued.
    struct Fault: Error, CustomStringConvertible {
        /// The file's path.
        let path: String
        /// The reason.
        let reason: String

        var description: String { "'\(path)' cannot be continued: \(reason)" }
    }

    /// The suffixes that browsers give such a file.
    private static let suffixes = [".part", ".crdownload"]
    /// A file has a control file of aria2 if it is not complete.
    private static let controlSuffix = ".aria2"

    /// The file's path.
    let path: String
    /// The number of bytes from its first one without a gap.
    let byteCount: Int64
    /// The number of bytes behind the first gap, which are loaded again.
    let restByteCount: Int64

    private init(path: String, byteCount: Int64, restByteCount: Int64) {
        self.path = path
        self.byteCount = byteCount
        self.restByteCount = restByteCount
    }

    /// Finds what there is of a file.
    ///
    /// - Parameter path: The absolute path of the whole file.
    /// - Returns: What there is; nil if nothing is.
    /// - Throws: ``Fault`` when it cannot be read.
    static func find(_ path: String) throws(Fault) -> PartialDownload? {
        if let control = try content(of: path + controlSuffix) {
            guard let pieces = Aria2ControlFile(control) else {
                let reason = "it is no control file of aria2 that is known here"
                throw Fault(path: path + controlSuffix, reason: reason)
            }
            return try PartialDownload(path, pieces)
        }
        for suffix in suffixes {
            if let found = try PartialDownload(inOrder: path + suffix) { return found }
        }
        return try PartialDownload(inOrder: path)
    }

    private init?(inOrder path: String) throws(Fault) {
        guard let (size, hole) = try Self.extent(of: path), size > 0 else { return nil }
        // A browser that loads several parts leaves holes.
        self.init(path: path, byteCount: hole, restByteCount: size - hole)
    }

    private init?(_ path: String, _ pieces: Aria2ControlFile) throws(Fault) {
        guard let (size, _) = try Self.extent(of: path), size > 0 else { return nil }
        let byteCount = min(size, pieces.prefixByteCount)
        let rest = max(0, pieces.writtenByteCount - pieces.prefixByteCount)
        self.init(path: path, byteCount: byteCount, restByteCount: rest)
    }

    /// Returns the size of a file, and where its first hole begins (lseek(2)); nil if there is no file.
    private static func extent(of path: String) throws(Fault) -> (size: Int64, hole: Int64)? {
        do throws(SystemCallError) {
            let file = FileDescriptor(
                owning: try systemCall("open", path) {
                    open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
                }
            )
            let status = try file.status()
            guard status.isRegularFile else {
                throw SystemCallError(call: "open", errno: EISDIR)
            }
            return (status.size, file.firstHole() ?? status.size)
        } catch {
            if error.errno == ENOENT { return nil }
            throw Fault(path: path, reason: String(cString: strerror(error.errno)))
        }
    }

    private static func content(of path: String) throws(Fault) -> [UInt8]? {
        do throws(SystemCallError) {
            return try Arguments.file(path, limit: 64 << 20)
        } catch {
            if error.errno == ENOENT { return nil }
            throw Fault(path: path, reason: String(cString: strerror(error.errno)))
        }
    }
}

/// The control file in which aria2 records which pieces of a download it has
/// (aria2's technical notes, "Control file format").
struct Aria2ControlFile: Hashable {
    private static let blockByteCount: Int64 = 16 << 10

    /// The number of bytes from the first one without a gap.
    let prefixByteCount: Int64
    /// The number of bytes of all whole pieces.
    let writtenByteCount: Int64

    /// Reads a control file; nil for anything else.
    init?(_ bytes: [UInt8]) {
        var reader = Reader(bytes: bytes[...])
        // Version 0 has its numbers in the order of the machine that wrote it.
        guard let version = reader.number(2), version <= 1 else { return nil }
        reader.isLittleEndian = version == 0
        guard reader.number(4) != nil, let hashByteCount = reader.number(4),
            reader.bytes(hashByteCount) != nil,
            let piece = reader.number(4), piece > 0,
            let total = reader.number(8), reader.number(8) != nil,
            let bitmapByteCount = reader.number(4), let bitmap = reader.bytes(bitmapByteCount)
        else { return nil }
        let pieceCount = (total - 1) / piece + 1
        guard total > 0, (pieceCount + 7) / 8 == bitmapByteCount else { return nil }
        func isWhole(_ index: Int64) -> Bool { Self.hasBit(Int(index), in: bitmap) }
        let prefix = (0..<pieceCount).first { !isWhole($0) } ?? pieceCount
        let count = (0..<pieceCount).count(where: isWhole)
        writtenByteCount = min(total, Int64(count) * piece)
        prefixByteCount = min(
            total,
            prefix * piece + Self.beginning(of: prefix, &reader) * Self.blockByteCount
        )
    }

    /// Returns how many blocks from its first one are there of a piece that is being loaded.
    private static func beginning(of piece: Int64, _ reader: inout Reader) -> Int64 {
        guard let count = reader.number(4) else { return 0 }
        for _ in 0..<min(count, 1 << 20) {
            guard let index = reader.number(4), let length = reader.number(4),
                let bitmapByteCount = reader.number(4), let bitmap = reader.bytes(bitmapByteCount)
            else { return 0 }
            guard index == piece else { continue }
            // The last block of a piece may be shorter.
            let blocks = length / blockByteCount
            return (0..<blocks).first { !hasBit(Int($0), in: bitmap) } ?? blocks
        }
        return 0
    }

    private static func hasBit(_ index: Int, in bitmap: ArraySlice<UInt8>) -> Bool {
        let byte = bitmap.startIndex + index / 8
        return byte < bitmap.endIndex && bitmap[byte] & (0x80 >> UInt8(index % 8)) != 0
    }

    private struct Reader {
        var bytes: ArraySlice<UInt8>
        var isLittleEndian = false

        mutating func bytes(_ count: Int64) -> ArraySlice<UInt8>? {
            guard 0...Int64(bytes.count) ~= count else { return nil }
            defer { bytes = bytes.dropFirst(Int(count)) }
            return bytes.prefix(Int(count))
        }

        mutating func number(_ count: Int64) -> Int64? {
            guard let part = bytes(count) else { return nil }
            let ordered = isLittleEndian ? Array(part.reversed()) : Array(part)
            let number = ordered.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            // What is longer than any file is no length.
            return number < 1 << 60 ? Int64(number) : nil
        }
    }
}
