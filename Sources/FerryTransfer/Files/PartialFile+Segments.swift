package import FerrySystem

// A file is filled in order until somebody says that it is not. From then on it has a table of what is there
// behind its end, until all of it is.

extension PartialFile {
    /// The bytes that are there.
    package var written: ByteRanges { content?.written ?? ByteRanges() }

    /// Whether bytes may be written anywhere.
    package var hasSegments: Bool { content?.segments != nil }

    /// Has bytes be written anywhere from now on; the length of the whole must be known.
    package func beginSegments() throws(TransferError) {
        guard var content, content.record.version.totalByteCount != nil else { throw notBegun }
        guard content.segments == nil else { return }
        // A table makes a file longer that somebody else has cut.
        try requireUndisturbed()
        content.beginSegments()
        // Its room on the disk is taken now: later there may be none.
        try storeTable(of: content, padded: true)
        self.content = content
        try noteTable(true)
    }

    /// Makes an ordinary file of one that is complete.
    package func endSegments() throws(TransferError) {
        guard let content, content.segments != nil else { return }
        guard let total = content.record.version.totalByteCount,
            content.written.prefixByteCount == total
        else { throw notBegun }
        // Cutting a file that somebody else has cut would make it longer.
        try requireUndisturbed()
        try noteTable(nil)
        try content.file.truncate(to: total)
        self.content?.endSegments()
    }

    /// Writes bytes at a place of the file, into the page cache.
    ///
    /// - Throws: ``TransferError/Code/diskFull`` or ``TransferError/Code/cannotWriteToFile``; ``byteCount``
    ///   tells how many bytes were written before.
    package func write(
        _ bytes: UnsafeRawBufferPointer,
        at offset: Int64
    ) throws(TransferError) {
        let file = try fileToWrite()
        var rest = bytes
        var position = offset
        while !rest.isEmpty {
            let count = try file.write(rest, at: position)
            try wrote(position..<position + Int64(count))
            position += Int64(count)
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }

    /// Writes the first `count` bytes that are in a pipe at a place of the file.
    ///
    /// - Throws: As ``write(_:at:)``; what was not written is left in the pipe.
    package func write(
        _ pipe: SplicePipe,
        count: Int,
        at offset: Int64
    ) throws(TransferError) {
        let file = try fileToWrite()
        let end = offset + Int64(count)
        var position = offset
        while position < end {
            let moved = try file.write(pipe, at: position, limit: Int(end - position))
            try wrote(position..<position + Int64(moved))
            position += Int64(moved)
        }
    }

    /// The file, in which what was written before is still there.
    private func fileToWrite() throws(TransferError) -> OpenFile {
        guard let content else { throw notBegun }
        if content.byteCount > 0 { try requireUndisturbed() }
        return content.file
    }

    private func wrote(_ range: Range<Int64>) throws(TransferError) {
        content?.wrote(range)
        guard content?.segments != nil, let content else { return }
        try storeTable(of: content)
    }

    /// Has the file say what is in it, where anybody else could read that.
    func storeTable(of content: Content, padded: Bool = false) throws(TransferError) {
        guard content.isRecorded, let table = content.table else { return }
        try content.file.store(table, padded: padded)
    }
}

extension PartialFile.OpenFile {
    /// Writes a table behind the place of the last byte, on request with all the room that it may ever need.
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

    /// What a file of such a size says about its segments; `nil` when it has none, or says nothing that can
    /// be relied on.
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
