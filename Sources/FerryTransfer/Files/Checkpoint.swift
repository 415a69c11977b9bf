package import FerrySystem

/// A description of the bytes in a partial file, to be kept apart from the file.
///
/// The file itself carries its ``PartialFile/Record``, which survives the death of the process. A checkpoint
/// adds what only the synchronized medium can prove: how many bytes survive a power failure.
package struct Checkpoint: Hashable, Sendable, Codable {
    /// The generation of the file's content; a download that starts over gets another.
    package var generation: UInt64
    /// The version of the resource that the bytes belong to.
    package var version: ResourceVersion
    /// The number of bytes that were forced onto the disk, from the first one on without a gap.
    package var synchronizedByteCount: Int64
    /// How many bytes were written.
    package var writtenByteCount: Int64
    /// The boot in which they were written.
    package var bootIdentifier: BootIdentifier
    /// How often in a row a request for the rest was interrupted before a byte of it arrived.
    package var fruitlessResumptionCount: Int
    /// Which bytes were written, if that was not done in order.
    package var segments: Segments?

    /// The bytes of a file that is not filled in order.
    package struct Segments: Hashable, Sendable, Codable {
        /// The bytes that were written.
        package var written: ByteRanges
        /// The written bytes that were forced onto the disk.
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

    /// The validator of the version, if there is one.
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

    /// Returns how many bytes of a file of `fileSize` bytes are certainly those that were written.
    ///
    /// In the same boot all of them are: the page cache outlives its writer. After a restart only the
    /// synchronized bytes are. A file longer than the resource, or shorter than the synchronized bytes, was
    /// changed.
    ///
    /// - Parameters:
    ///   - currentBoot: The current boot.
    ///   - fileSize: The file's length.
    /// - Returns: A number of bytes from the start; 0 when nothing proves the version.
    package func trustedByteCount(currentBoot: BootIdentifier, fileSize: Int64) -> Int64 {
        guard validator != nil else { return 0 }
        if let totalByteCount, fileSize > totalByteCount { return 0 }
        guard fileSize >= synchronizedByteCount else { return 0 }
        return bootIdentifier == currentBoot ? fileSize : max(0, synchronizedByteCount)
    }

    /// Returns which bytes of a file of `fileSize` bytes are certainly those that were written.
    ///
    /// The rule is that of ``trustedByteCount(currentBoot:fileSize:)``. A file that is not filled in order is
    /// longer than the resource by its table, which is trusted only in the boot that wrote it.
    ///
    /// - Parameters:
    ///   - currentBoot: The current boot.
    ///   - fileSize: The file's length.
    ///   - written: The bytes in the table, if there is one.
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

    /// Whether a file of that size may be this one, with its table or its remains after a power failure.
    private func isPlausible(fileSize: Int64) -> Bool {
        guard let totalByteCount else { return true }
        return fileSize <= PartialFile.SegmentTable.end(behind: totalByteCount)
    }
}
