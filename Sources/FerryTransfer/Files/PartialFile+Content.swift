extension PartialFile {
    /// What is known of the file that stands behind the name.
    struct Content {
        var file: OpenFile
        var record: Record
        /// How many bytes were written, one after the other.
        private(set) var prefixByteCount: Int64
        /// How many of them are on the disk.
        private(set) var synchronizedPrefixByteCount: Int64
        /// What was written, in place of the two numbers, where that is not done in order.
        private(set) var segments: Segments?
        /// Whether the file's entry in its directory, and its record, are on the disk.
        var isAnchored: Bool
        /// Whether the record is with the file, and not only here.
        var isRecorded = true

        /// Which bytes of a file that is not filled in order are there.
        struct Segments {
            var written: ByteRanges
            /// Those that are on the disk.
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

        /// How many bytes there are.
        var byteCount: Int64 { segments?.written.byteCount ?? prefixByteCount }

        /// How many bytes are on the disk from the first one on without a gap.
        var synchronizedByteCount: Int64 {
            segments?.synchronized.prefixByteCount ?? synchronizedPrefixByteCount
        }

        /// The bytes that are there.
        var written: ByteRanges { segments?.written ?? ByteRanges([0..<prefixByteCount]) }

        /// What the file has to say about its segments, if it has any.
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

        /// From now on bytes may be written anywhere.
        mutating func beginSegments() {
            segments = Segments(
                written: written,
                synchronized: ByteRanges([0..<synchronizedPrefixByteCount])
            )
        }

        /// All bytes are there, one after the other.
        mutating func endSegments() {
            guard let segments else { return }
            prefixByteCount = segments.written.prefixByteCount
            synchronizedPrefixByteCount = segments.synchronized.prefixByteCount
            self.segments = nil
        }

        /// So much had been written when it was begun to force it onto the disk.
        mutating func synchronized(_ earlier: ByteRanges) {
            isAnchored = true
            guard segments == nil else {
                for range in earlier.ranges { segments?.synchronized.insert(range) }
                return
            }
            synchronizedPrefixByteCount = max(
                synchronizedPrefixByteCount,
                earlier.prefixByteCount
            )
        }

        /// Gives up what is not on the disk.
        mutating func giveUpUnsynchronized() {
            prefixByteCount = synchronizedPrefixByteCount
            if let segments { self.segments?.written = segments.synchronized }
        }
    }
}
