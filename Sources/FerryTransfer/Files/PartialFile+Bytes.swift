package import FerrySystem

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
