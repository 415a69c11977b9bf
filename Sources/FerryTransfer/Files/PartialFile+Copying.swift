package import FerrySystem

extension PartialFile {
    /// Makes another file of the same bytes, which is on the disk when this returns.
    ///
    /// For a file that is complete. Where the file system allows it, both share their content until one is changed.
    ///
    /// - Parameters:
    ///   - other: What the copy becomes; a file of that name is replaced. Nothing must be loaded into it meanwhile.
    ///   - byteCount: How many bytes the file has.
    ///   - queue: Where to copy and to wait for the disk.
    /// - Throws: ``TransferError``, ``TransferError/Code/fileMissing`` when the file is not there or not complete.
    package func copy(
        to other: PartialFile,
        byteCount: Int64,
        on queue: BlockingQueue
    ) async throws(TransferError) {
        let copying = Copying(
            source: (directory, name),
            target: (other.directory, other.name),
            byteCount: byteCount
        )
        try await queue.run { () throws(TransferError) in try copying.run() }
    }

    /// The blocking part of copying a file.
    private struct Copying: Sendable {
        let source: (directory: Directory, name: String)
        let target: (directory: Directory, name: String)
        let byteCount: Int64

        func run() throws(TransferError) {
            guard let file = try OpenFile(existing: source.name, in: source.directory),
                try file.size() == byteCount
            else {
                throw TransferError(
                    code: .fileMissing,
                    message: "\(source.directory.path(of: source.name)) is not complete"
                )
            }
            let record = file.readRecord(
                named: source.name,
                in: source.directory,
                currentBoot: .current
            )
            let copy = try OpenFile(creating: target.name, in: target.directory, record: record)
            do throws(TransferError) {
                if !copy.share(file) { try copy.copy(0..<byteCount, from: file) }
                try copy.synchronize(withRecord: true)
                try target.directory.synchronizeForTransfer()
            } catch {
                for suffix in [""] + PartialFile.companionSuffixes {
                    try? target.directory.remove(target.name + suffix)
                }
                throw error
            }
        }
    }
}
