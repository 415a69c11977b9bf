import FerrySystem

// Anybody who may write to the directory can delete the file, cut it, or put another one in its place while it
// is being filled. A write into what is left would make a hole, and end as a success.

extension PartialFile {
    /// Makes sure that the file is what this object takes it for, before it is called complete.
    ///
    /// What was written over in place, with as many bytes, is not seen: that takes a digest.
    ///
    /// - Throws: ``TransferError/Code/fileChanged`` when the name stands for another file or none, or the
    ///   file has another length.
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

    /// Makes sure that what was written before is still there, as far as the file's state tells.
    func requireUndisturbed() throws(TransferError) {
        guard let content else { throw notBegun }
        _ = try requireUndisturbed(content)
    }

    private func requireUndisturbed(_ content: Content) throws(TransferError) -> FileIdentity {
        let identity = try content.file.identity()
        guard identity.linkCount > 0 else { throw disturbed("it was deleted or replaced") }
        guard identity.size >= content.byteCountOnDisk else {
            throw disturbed("it was cut to \(identity.size) of \(content.byteCountOnDisk) bytes")
        }
        return identity
    }

    private func disturbed(_ reason: String) -> TransferError {
        TransferError(
            code: .fileChanged,
            message: "\(path) was changed by another program while it was being filled: \(reason)"
        )
    }
}

extension PartialFile.Content {
    /// How long the file is, with the table behind its bytes where it has one.
    fileprivate var byteCountOnDisk: Int64 {
        guard segments != nil else { return prefixByteCount }
        guard isRecorded, let table else { return written.upperBound }
        return PartialFile.SegmentTable.end(behind: table.totalByteCount)
    }
}
