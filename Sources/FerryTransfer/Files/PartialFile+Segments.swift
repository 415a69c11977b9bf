package import FerrySystem

// A file is filled in order until its owner begins segments. From then on it has a table of its bytes behind
// its end, until it is complete.

extension PartialFile {
    /// The written bytes.
    package var written: ByteRanges { content?.written ?? ByteRanges() }

    /// Whether bytes may be written anywhere.
    package var hasSegments: Bool { content?.segments != nil }

    /// Lets bytes be written anywhere from now on; the length of the whole must be known.
    package func beginSegments() throws(TransferError) {
        keep()
        guard var content, content.record.version.totalByteCount != nil else { throw notBegun }
        guard content.segments == nil else { return }
        // A table would extend a file that another program has truncated.
        try requireUndisturbed()
        content.beginSegments()
        // Its disk space is allocated now: later there may be none.
        try storeTable(of: content, padded: true)
        self.content = content
        try recordTable(true)
    }

    /// Turns a complete file into an ordinary one.
    package func endSegments() throws(TransferError) {
        guard let content, content.segments != nil else { return }
        guard let total = content.record.version.totalByteCount,
            content.written.prefixByteCount == total
        else { throw notBegun }
        // Truncating a file that another program has truncated would extend it.
        try requireUndisturbed()
        try recordTable(nil)
        try content.file.truncate(to: total)
        self.content?.endSegments()
    }

    /// Writes bytes to the file at an offset, into the page cache.
    ///
    /// - Throws: ``TransferError/Code/diskFull`` or ``TransferError/Code/cannotWriteToFile``; ``byteCount``
    ///   shows how many bytes were written before.
    package func write(
        _ bytes: UnsafeRawBufferPointer,
        at offset: Int64
    ) throws(TransferError) {
        let file = try fileToWrite(offset..<offset + Int64(bytes.count))
        var rest = bytes
        var position = offset
        while !rest.isEmpty {
            let count = try file.write(rest, at: position)
            try wrote(position..<position + Int64(count))
            position += Int64(count)
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }

    /// Writes the first `count` bytes in a pipe to the file at an offset.
    ///
    /// - Throws: As ``write(_:at:)``; bytes that were not written stay in the pipe.
    package func write(
        _ pipe: SplicePipe,
        count: Int,
        at offset: Int64
    ) throws(TransferError) {
        let end = offset + Int64(count)
        let file = try fileToWrite(offset..<end)
        var position = offset
        while position < end {
            let moved = try file.write(pipe, at: position, limit: Int(end - position))
            try wrote(position..<position + Int64(moved))
            position += Int64(moved)
        }
    }

    private func fileToWrite(_ range: Range<Int64>) throws(TransferError) -> OpenFile {
        try requireWritable()
        try storeRecord(beforeWriting: range)
        guard let content else { throw notBegun }
        return content.file
    }

    private func wrote(_ range: Range<Int64>) throws(TransferError) {
        content?.wrote(range)
        guard content?.segments != nil, let content else { return }
        try storeTable(of: content)
    }

    /// Stores the table in the file, if the record is stored as well.
    func storeTable(of content: Content, padded: Bool = false) throws(TransferError) {
        guard content.isRecorded, let table = content.table else { return }
        try content.file.store(table, padded: padded)
    }
}

extension PartialFile.OpenFile {
    /// Writes a table behind the last byte, on request with all the room that it may ever need.
    func store(_ table: PartialFile.SegmentTable, padded: Bool) throws(TransferError) {
        var bytes = table.encoded
        if padded {
            bytes += Array(repeating: 0, count: PartialFile.SegmentTable.byteCount - bytes.count)
        }
        try writeAll(
            bytes,
            at: PartialFile.SegmentTable.offset(behind: table.totalByteCount)
        )
    }

    private func writeAll(_ bytes: [UInt8], at offset: Int64) throws(TransferError) {
        let result = bytes.withUnsafeBytes { raw in
            Result { () throws(TransferError) in
                var count = 0
                while count < raw.count {
                    let rest = UnsafeRawBufferPointer(rebasing: raw[count...])
                    count += try write(rest, at: offset + Int64(count))
                }
            }
        }
        try result.get()
    }

    /// Returns the table in a file of this size; `nil` when it has none, or none that can be trusted.
    func readTable(of record: PartialFile.Record, size: Int64) -> PartialFile.SegmentTable? {
        guard let total = record.version.totalByteCount, size > total else { return nil }
        let offset = PartialFile.SegmentTable.offset(behind: total)
        let wanted = Int(min(size - offset, Int64(PartialFile.SegmentTable.byteCount)))
        guard wanted > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: wanted)
        let count = try? bytes.withUnsafeMutableBytes { try read(into: $0, at: offset) }
        guard count == wanted, let table = PartialFile.SegmentTable(decoding: bytes),
            table.generation == record.generation, table.totalByteCount == total
        else { return nil }
        return table
    }
}
