import FerrySystem
import Glibc

@testable import FerryTransfer

/// The directory of a simulated machine, and what a power cut makes of it.
///
/// Whatever was not forced onto the disk may be as it was before, as it was meant to be, or
/// garbage; a file that took the place of another may or may not have done so.
final class SimulatedDisk {
    let directory: Directory
    let name = "file"
    /// How many bytes of the file are certainly on the disk.
    var synchronizedByteCount = 0
    /// Whether the file's entry and its record are.
    var isAnchored = false
    private var oldSynchronizedByteCount: Int?

    init(_ directory: Directory) { self.directory = directory }

    /// Keeps the file that is about to be replaced, as the disk does for a while.
    func willBegin() throws {
        guard isAnchored else { return }
        try directory.remove("old")
        link(directory.path(of: name), directory.path(of: "old"))
        oldSynchronizedByteCount = synchronizedByteCount
    }

    func began() {
        isAnchored = false
        synchronizedByteCount = 0
    }

    func synchronized(_ byteCount: Int64) {
        isAnchored = true
        synchronizedByteCount = max(synchronizedByteCount, Int(byteCount))
        oldSynchronizedByteCount = nil
    }

    func cut(to byteCount: Int64) {
        synchronizedByteCount = min(synchronizedByteCount, Int(byteCount))
    }

    func powerCut(using generator: inout SeededGenerator) throws {
        if !isAnchored {
            if let old = oldSynchronizedByteCount {
                if generator.happens(50) {
                    try directory.rename("old", to: directory, as: name, replacing: true)
                    synchronizedByteCount = old
                    isAnchored = true
                }
            } else if generator.happens(30) {
                try directory.remove(name)
            }
        }
        oldSynchronizedByteCount = nil
        guard try directory.status(of: name) != nil else { return }
        let file = try directory.open(name, .readWrite)
        if !isAnchored, generator.happens(30) { try file.removeAttribute("user.ferry.transfer") }
        let size = Int(try file.status().size)
        guard size > synchronizedByteCount else { return }
        let kept = synchronizedByteCount + generator.below(size - synchronizedByteCount + 1)
        try file.truncate(to: Int64(kept))
        if generator.happens(50) {
            let garbage = (synchronizedByteCount..<size).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let start = Int64(synchronizedByteCount)
            try garbage.withUnsafeBytes { try file.writeAll($0, at: start) }
        }
    }
}
