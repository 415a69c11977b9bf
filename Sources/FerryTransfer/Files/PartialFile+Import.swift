package import FerrySystem

extension PartialFile {
    /// Copies the first bytes of a file that another program has begun, for a download that continues them.
    ///
    /// Nothing proves these bytes: the download compares their end with what the server sends, and a digest has the last
    /// word. The other file stays as it is. It may block.
    ///
    /// - Parameters:
    ///   - byteCount: The number of bytes from the start of the file.
    ///   - source: The other program's file, of this user.
    ///   - request: The request for the whole resource.
    ///   - totalByteCount: The number of bytes of the whole resource.
    ///   - directory: The directory of the copy.
    ///   - name: The name of the copy.
    /// - Returns: The resume data of the copy.
    /// - Throws: ``TransferError`` when a file cannot be read or written, or the request cannot be continued.
    package nonisolated static func copy(
        _ byteCount: Int64,
        of source: (directory: Directory, name: String),
        for request: TransferRequest,
        totalByteCount: Int64,
        into directory: Directory,
        as name: String
    ) throws(TransferError) -> ResumeData {
        guard request.isResumable, 1...totalByteCount ~= byteCount else {
            throw TransferError(
                code: .resumeDataInvalid,
                message: "only the first bytes of the response to a GET can be continued"
            )
        }
        guard let original = try OpenFile(existing: source.name, in: source.directory) else {
            let path = source.directory.path(of: source.name)
            throw TransferError(code: .fileMissing, message: "\(path): No such file or directory")
        }
        guard try original.size() >= byteCount else {
            throw TransferError(
                code: .fileChanged,
                message: "\(source.directory.path(of: source.name)) is shorter than it was"
            )
        }
        let version = ResourceVersion(
            validator: .weak(""),
            totalByteCount: totalByteCount,
            url: request.url
        )
        let record = Record(
            generation: .random(in: .min ... .max),
            version: version,
            bootIdentifier: .current
        )
        let copy = try OpenFile(creating: name, in: directory)
        do throws(TransferError) {
            if copy.share(original) {
                try copy.truncate(to: byteCount)
            } else {
                try copy.copy(0..<byteCount, from: original)
            }
            try copy.store(record, named: name, in: directory)
            try copy.synchronize(withRecord: true)
            try directory.synchronizeForTransfer()
        } catch {
            // The original is still there; a part of it would only fill the disk.
            for suffix in [""] + companionSuffixes { try? directory.remove(name + suffix) }
            throw error
        }
        let checkpoint = Checkpoint(
            generation: record.generation,
            version: version,
            synchronizedByteCount: byteCount,
            writtenByteCount: byteCount,
            bootIdentifier: .current
        )
        return ResumeData(
            request: request,
            currentURL: request.url,
            checkpoint: checkpoint,
            path: directory.path(of: name)
        )
    }
}
