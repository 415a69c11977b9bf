package import FerrySystem

extension PartialFile {
    /// The known state of the file behind the name.
    struct Content {
        var file: OpenFile
        var record: Record
        /// How many bytes were written, one after the other.
        private(set) var prefixByteCount: Int64
        /// How many of them are on the disk.
        private(set) var synchronizedPrefixByteCount: Int64
        /// The written bytes, in place of the two numbers, if they are not in order.
        private(set) var segments: Segments?
        /// Whether the file's entry in its directory, and its record, are on the disk.
        var isAnchored: Bool
        /// Whether the record is stored with the file, and not only in memory.
        var isRecorded = true
        /// The number of written bytes when the file was last looked for.
        var checkedByteCount: Int64 = 0

        /// The bytes of a file that is not filled in order.
        struct Segments {
            var written: ByteRanges
            /// The written bytes that are on the disk.
            var synchronized: ByteRanges
        }

        init(
            file: OpenFile,
            record: Record,
            byteCount: Int64 = 0,
            synchronizedByteCount: Int64 = 0,
            segments: Segments? = nil,
            isAnchored: Bool,
            isRecorded: Bool = true
        ) {
            self.file = file
            self.record = record
            prefixByteCount = byteCount
            synchronizedPrefixByteCount = synchronizedByteCount
            self.segments = segments
            self.isAnchored = isAnchored
            self.isRecorded = isRecorded
        }

        /// The number of written bytes.
        var byteCount: Int64 { segments?.written.byteCount ?? prefixByteCount }

        /// The number of bytes on the disk, from the first one on without a gap.
        var synchronizedByteCount: Int64 {
            segments?.synchronized.prefixByteCount ?? synchronizedPrefixByteCount
        }

        /// The written bytes.
        var written: ByteRanges { segments?.written ?? ByteRanges([0..<prefixByteCount]) }

        /// The table of the file's segments, if it has any.
        var table: SegmentTable? {
            guard let segments, let total = record.version.totalByteCount else { return nil }
            return SegmentTable(
                generation: record.generation,
                totalByteCount: total,
                written: segments.written
            )
        }

        mutating func wrote(_ range: Range<Int64>) {
            guard segments == nil else {
                segments?.written.insert(range)
                return
            }
            prefixByteCount = range.upperBound
        }

        /// Lets bytes be written anywhere from now on.
        mutating func beginSegments() {
            segments = Segments(
                written: written,
                synchronized: ByteRanges([0..<synchronizedPrefixByteCount])
            )
        }

        /// Ends the segments, as all bytes are written.
        mutating func endSegments() {
            guard let segments else { return }
            prefixByteCount = segments.written.prefixByteCount
            synchronizedPrefixByteCount = segments.synchronized.prefixByteCount
            self.segments = nil
        }

        /// Records what was written when its synchronization began: the bytes, and the record.
        mutating func synchronized(_ earlier: ByteRanges, with earlierRecord: Record) {
            if record == earlierRecord { isAnchored = true }
            guard segments == nil else {
                for range in earlier.ranges { segments?.synchronized.insert(range) }
                return
            }
            synchronizedPrefixByteCount = max(
                synchronizedPrefixByteCount,
                earlier.prefixByteCount
            )
        }

        /// Gives up the bytes that are not on the disk.
        mutating func giveUpUnsynchronized() {
            prefixByteCount = synchronizedPrefixByteCount
            if let segments { self.segments?.written = segments.synchronized }
        }
    }
}

extension PartialFile {
    /// Whether the file holds these bytes at this place.
    package func holds(
        _ bytes: UnsafeRawBufferPointer,
        at offset: Int64
    ) throws(TransferError) -> Bool {
        guard let content else { throw notBegun }
        let range = offset..<offset + Int64(bytes.count)
        guard content.written.contains(range) else { return false }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { buffer.deallocate() }
        var count = 0
        while count < bytes.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            count += try content.file.read(into: rest, at: offset + Int64(count))
        }
        return buffer.elementsEqual(bytes)
    }

    /// Appends bytes, into the page cache.
    ///
    /// - Throws: ``TransferError/Code/diskFull`` or ``TransferError/Code/cannotWriteToFile``; ``byteCount``
    ///   shows how many bytes were written before.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(TransferError) {
        try write(bytes, at: byteCount)
    }

    /// Appends the bytes in a pipe.
    ///
    /// - Throws: As ``write(_:)``; bytes that were not written stay in the pipe.
    package func write(_ pipe: SplicePipe) throws(TransferError) {
        try write(pipe, count: pipe.count, at: byteCount)
    }
}
