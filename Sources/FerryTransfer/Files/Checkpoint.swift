package import FerrySystem

/// What is known about the bytes of a partial file, to be kept apart from the file.
///
/// The file itself carries its ``PartialFile/Record``, which survives every death of the process.
/// A checkpoint adds what only the synchronised medium can prove: how many bytes a power cut
/// leaves.
package struct Checkpoint: Hashable, Sendable, Codable {
    /// Which filling of the file the numbers are about: a download that starts over gets another.
    package var generation: UInt64
    /// Which version of which resource the bytes are.
    package var version: ResourceVersion
    /// How many bytes were forced onto the disk, from the first one on without a gap.
    package var synchronizedByteCount: Int64
    /// How many bytes were written.
    package var writtenByteCount: Int64
    /// The run of the kernel in which they were written.
    package var bootIdentifier: BootIdentifier
    /// How often in a row a request for the rest was cut off before a byte of it came.
    package var fruitlessResumptionCount: Int
    /// Which bytes there are, where they were not written one after the other.
    package var segments: Segments?

    /// Which bytes of a file that is not filled in order there are.
    package struct Segments: Hashable, Sendable, Codable {
        /// Those that were written.
        package var written: ByteRanges
        /// Those of them that were forced onto the disk.
        package var synchronized: ByteRanges

        /// Makes a description from its parts.
        package init(written: ByteRanges, synchronized: ByteRanges) {
            self.written = written
            self.synchronized = synchronized
        }
    }

    /// Makes a checkpoint from its parts.
    package init(
        generation: UInt64,
        version: ResourceVersion,
        synchronizedByteCount: Int64,
        writtenByteCount: Int64,
        bootIdentifier: BootIdentifier,
        fruitlessResumptionCount: Int = 0,
        segments: Segments? = nil
    ) {
        self.generation = generation
        self.version = version
        self.synchronizedByteCount = synchronizedByteCount
        self.writtenByteCount = writtenByteCount
        self.bootIdentifier = bootIdentifier
        self.fruitlessResumptionCount = fruitlessResumptionCount
        self.segments = segments
    }

    /// What proves the version of the bytes, if anything does.
    package var validator: Validator? { version.validator }

    /// The bytes that were written.
    package var writtenBytes: ByteRanges {
        segments?.written ?? ByteRanges([0..<max(0, writtenByteCount)])
    }

    /// The bytes that were forced onto the disk.
    package var synchronizedBytes: ByteRanges {
        segments?.synchronized ?? ByteRanges([0..<max(0, synchronizedByteCount)])
    }

    /// The length of the whole resource, where known.
    package var totalByteCount: Int64? { version.totalByteCount }

    /// How many bytes of a file of `fileSize` bytes are certainly what was written.
    ///
    /// In the same run of the kernel all of them are: the page cache outlives its writer. After
    /// a restart only what was synchronised is. A file longer than the resource, or shorter than
    /// what was synchronised, is not as it was left.
    ///
    /// - Parameters:
    ///   - currentBoot: The run of the kernel that asks.
    ///   - fileSize: The file's length.
    /// - Returns: A number of bytes from the start; 0 when nothing proves the version.
    package func trustedByteCount(currentBoot: BootIdentifier, fileSize: Int64) -> Int64 {
        guard validator != nil else { return 0 }
        if let totalByteCount, fileSize > totalByteCount { return 0 }
        guard fileSize >= synchronizedByteCount else { return 0 }
        return bootIdentifier == currentBoot ? fileSize : max(0, synchronizedByteCount)
    }

    /// Which bytes of a file of `fileSize` bytes are certainly what was written.
    ///
    /// The rule is that of ``trustedByteCount(currentBoot:fileSize:)``. A file that is not filled in order
    /// is longer than the resource by the table of what is there, and that is to be believed only in the run
    /// of the kernel that wrote it.
    ///
    /// - Parameters:
    ///   - currentBoot: The run of the kernel that asks.
    ///   - fileSize: The file's length.
    ///   - written: What the table says, if there is one.
    /// - Returns: The bytes; none when nothing proves the version.
    package func trustedBytes(
        currentBoot: BootIdentifier,
        fileSize: Int64,
        written: ByteRanges?
    ) -> ByteRanges {
        let synchronized = synchronizedBytes
        guard validator != nil, fileSize >= synchronized.upperBound,
            synchronized.upperBound <= totalByteCount ?? .max
        else { return ByteRanges() }
        guard bootIdentifier == currentBoot else {
            return isPlausible(fileSize: fileSize) ? synchronized : ByteRanges()
        }
        guard let written else {
            let count = trustedByteCount(currentBoot: currentBoot, fileSize: fileSize)
            return ByteRanges([0..<count])
        }
        return written.contains(synchronized) ? written : ByteRanges()
    }

    /// Whether a file of that size may be this one, with its table or what a power cut has left of that.
    private func isPlausible(fileSize: Int64) -> Bool {
        guard let totalByteCount else { return true }
        return fileSize <= PartialFile.SegmentTable.end(behind: totalByteCount)
    }
}
