import FerrySystem

/// The files that applications upload, which they may change or delete.
struct SimulatedSources {
    /// A file of an application.
    struct Source {
        var version: Int64 = 1
        var size: Int64
        var isThere = true
    }

    private var sources: [UInt64: Source] = [:]

    /// Makes a file, and says which state of which file it is.
    mutating func make(using random: inout SeededRandom) -> FileIdentity {
        let number = UInt64(sources.count + 1)
        let size = Int64(random.number(below: 10) * 50)
        sources[number] = Source(size: size)
        return FileIdentity(device: 1, inode: number, size: size, modified: 1, changed: 1)
    }

    /// The file is what it was.
    func isSame(_ identity: FileIdentity) -> Bool {
        sources[identity.inode]?.version == identity.modified
            && sources[identity.inode]?.isThere == true
    }

    /// Which version there is now.
    func version(_ identity: FileIdentity) -> Int64 { sources[identity.inode]?.version ?? 0 }

    /// What stands in the place of a file now; `nil` when nothing does.
    func present(_ identity: FileIdentity) -> FileIdentity? {
        guard let source = sources[identity.inode], source.isThere else { return nil }
        var present = identity
        (present.modified, present.changed) = (source.version, source.version)
        return present
    }

    /// Whether the file is there, in whatever state.
    func isThere(_ identity: FileIdentity) -> Bool {
        sources[identity.inode]?.isThere ?? false
    }

    /// An application does with its file what it likes.
    mutating func spoil(_ identity: FileIdentity, using random: inout SeededRandom) {
        if random.happens(percent: 50) {
            sources[identity.inode]?.version += 1
        } else {
            sources[identity.inode]?.isThere = false
        }
    }
}
