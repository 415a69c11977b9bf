import FerrySystem

// Any process that may write to the directory can delete the file, truncate it, or replace it while it is being
// filled. A write into what is left would make a hole, and end as a success.

extension PartialFile {
    /// Checks that the file was not replaced or changed in length, before it is called complete.
    ///
    /// Bytes that were overwritten in place are not detected: that takes a digest.
    ///
    /// - Throws: ``TransferError/Code/fileChanged`` when the name refers to another file or none, or the file
    ///   has another length.
    package func requireIntact() throws(TransferError) {
        guard let content else { throw notBegun }
        let identity = try requireUndisturbed(content)
        let named: FileStatus?
        do {
            named = try directory.status(of: name)
        } catch {
            throw TransferError(error, during: .open)
        }
        guard let named, named.device == identity.device, named.inode == identity.inode else {
            throw disturbed("it was deleted or replaced")
        }
        guard identity.size == content.byteCountOnDisk else {
            throw disturbed("it has \(identity.size) bytes instead of \(content.byteCountOnDisk)")
        }
    }

    /// Checks that the written bytes are still there, before others are written.
    ///
    /// The length is compared before each piece: a write into a truncated file leaves a hole, which ``requireIntact()``
    /// does not detect. It does detect a deleted file. So a long file is checked for that only every ``checkInterval``.
    func requireWritable() throws(TransferError) {
        guard let content else { throw notBegun }
        let byteCount = content.byteCount
        guard byteCount > 0 else { return }
        // The first check after a start, and all of a short file's, are whole ones.
        guard content.checkedByteCount > 0, byteCount >= Self.checkInterval,
            byteCount - content.checkedByteCount < Self.checkInterval
        else {
            try requireUndisturbed()
            self.content?.checkedByteCount = byteCount
            return
        }
        try requireLength(try content.file.size(), of: content)
    }

    /// The number of bytes that may be written before a deleted file is noticed.
    private static let checkInterval: Int64 = 1 << 20

    /// Checks that the written bytes are still there, as far as the file's state shows.
    func requireUndisturbed() throws(TransferError) {
        guard let content else { throw notBegun }
        _ = try requireUndisturbed(content)
    }

    private func requireUndisturbed(_ content: Content) throws(TransferError) -> FileIdentity {
        let identity = try content.file.identity()
        guard identity.linkCount > 0 else { throw disturbed("it was deleted or replaced") }
        try requireLength(identity.size, of: content)
        return identity
    }

    private func requireLength(_ length: Int64, of content: Content) throws(TransferError) {
        guard length < content.byteCountOnDisk else { return }
        throw disturbed("it was cut to \(length) of \(content.byteCountOnDisk) bytes")
    }

    private func disturbed(_ reason: String) -> TransferError {
        TransferError(
            code: .fileChanged,
            message: "\(path) was changed by another program while it was being filled: \(reason)"
        )
    }
}

extension PartialFile.Content {
    /// The length of the file, including its table, if any.
    fileprivate var byteCountOnDisk: Int64 {
        guard segments != nil else { return prefixByteCount }
        guard isRecorded, let table else { return written.upperBound }
        return PartialFile.SegmentTable.end(behind: table.totalByteCount)
    }
}
