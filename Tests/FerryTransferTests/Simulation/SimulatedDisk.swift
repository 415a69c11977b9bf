import FerrySystem
import Foundation

@testable import FerryTransfer

/// The directory of a simulated machine, and what a power cut makes of it.
///
/// Whatever was not forced onto the disk may be as it was before, as it was meant to be, or
/// garbage; a file that took the place of another may or may not have done so.
final class SimulatedDisk {
    let directory: Directory
    let name = "file"
    /// Which bytes of the file are certainly on the disk.
    var synchronized = ByteRanges()
    /// Whether the file's entry and its record are.
    var isAnchored = false
    private var oldSynchronized: ByteRanges?
    /// Whether the name stands for a file of somebody else's, or for none since he has deleted it.
    private var isForeign = false

    init(_ directory: Directory) { self.directory = directory }

    /// Keeps the file that is about to be replaced, as the disk does for a while.
    func willBegin() throws {
        guard isAnchored else { return }
        try directory.remove("old")
        link(directory.path(of: name), directory.path(of: "old"))
        oldSynchronized = synchronized
    }

    func began() {
        isAnchored = false
        isForeign = false
        synchronized = ByteRanges()
    }

    func synchronized(_ bytes: ByteRanges) throws {
        // What was written is not there any more, or not all of it.
        guard !isForeign, let size = try directory.status(of: name)?.size else { return }
        isAnchored = true
        for range in bytes.ranges where range.lowerBound < size {
            synchronized.insert(range.lowerBound..<min(range.upperBound, size))
        }
        oldSynchronized = nil
    }

    func cut(to bytes: ByteRanges) {
        for gap in bytes.gaps(upTo: synchronized.upperBound).ranges { synchronized.remove(gap) }
    }

    /// Lets a program that is none of ours do something to the file.
    ///
    /// - Returns: Whether there was one.
    func meddle(using generator: inout SeededGenerator) throws -> Bool {
        guard let size = try directory.status(of: name)?.size else { return false }
        switch generator.below(4) {
        case 0:
            try directory.remove(name)
            lose()
        case 1:
            let left = Int64(generator.below(Int(size)))
            try directory.open(name, .readWrite).truncate(to: left)
            synchronized.remove(left..<max(left, synchronized.upperBound))
        case 2: try replace(byteCount: generator.below(1000), using: &generator)
        default: try replace(byteCount: Int(size), using: &generator)
        }
        return true
    }

    private func replace(byteCount: Int, using generator: inout SeededGenerator) throws {
        let bytes = (0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &generator) }
        try Data(bytes).write(to: URL(filePath: directory.path(of: "other")))
        try directory.rename("other", to: directory, as: name, replacing: true)
        lose()
    }

    private func lose() {
        began()
        isForeign = true
        oldSynchronized = nil
    }

    func powerCut(using generator: inout SeededGenerator) throws {
        if !isAnchored {
            if let old = oldSynchronized {
                if generator.happens(50) {
                    try directory.rename("old", to: directory, as: name, replacing: true)
                    synchronized = old
                    isAnchored = true
                }
            } else if generator.happens(30) {
                try directory.remove(name)
            }
        }
        oldSynchronized = nil
        guard try directory.status(of: name) != nil else { return }
        let file = try directory.open(name, .readWrite)
        if !isAnchored, generator.happens(30) {
            _ = try? file.removeAttribute("user.ferry.transfer")
        }
        try spoil(file, size: try file.status().size, using: &generator)
    }

    /// Cuts the file, and puts garbage in the place of what was not on the disk.
    private func spoil(
        _ file: borrowing FileDescriptor,
        size: Int64,
        using generator: inout SeededGenerator
    ) throws {
        let end = synchronized.upperBound
        if size > end, generator.happens(50) {
            try file.truncate(to: end + Int64(generator.below(Int(size - end) + 1)))
        }
        guard generator.happens(50) else { return }
        for gap in synchronized.gaps(upTo: size).ranges {
            let garbage = gap.map { _ in UInt8.random(in: 0...255, using: &generator) }
            try garbage.withUnsafeBytes { try file.writeAll($0, at: gap.lowerBound) }
        }
    }
}
