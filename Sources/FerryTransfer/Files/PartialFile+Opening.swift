extension PartialFile {
    /// Opens the file if there is one, and gives up every byte that is not proved.
    ///
    /// - Parameter checkpoint: The latest checkpoint that was kept elsewhere.
    /// - Returns: The checkpoint of the bytes in the file now; `nil` when there are none.
    /// - Throws: ``TransferError/Code/cannotCreateFile`` when the name does not refer to a file of this user,
    ///   or the file cannot be opened.
    @discardableResult
    package func recover(checkpoint: Checkpoint?) throws(TransferError) -> Checkpoint? {
        if recordKeeping == .onDemand, !wasBegun {
            isRecovered = true
            return nil
        }
        do throws(TransferError) {
            try storeRecord()
        } catch  where error.code == .fileChanged {
            // Without a record, the rest of the file is not found.
        }
        close()
        isRecovered = true
        guard let file = try OpenFile(existing: name, in: directory) else { return nil }
        guard let record = file.readRecord(named: name, in: directory, currentBoot: currentBoot)
        else { return nil }
        let size = try file.size()
        let trusted = record.trustedBytes(
            currentBoot: currentBoot,
            fileSize: size,
            table: file.readTable(of: record, size: size),
            checkpoint: checkpoint
        )
        guard !trusted.isEmpty else { return nil }
        let isKnown = checkpoint?.generation == record.generation
        let synchronized = (isKnown ? checkpoint?.synchronizedBytes : nil) ?? ByteRanges()
        var recovered = Content(file: file, record: record, trusted, synchronized)
        if recovered.segments != nil {
            // The remains of unproved bytes are overwritten.
            try storeTable(of: recovered, padded: true)
        } else if recovered.byteCount < size {
            try file.truncate(to: recovered.byteCount)
        }
        // From here on the page cache vouches for all remaining bytes.
        recovered.record.bootIdentifier = currentBoot
        recovered.record.hasTable = recovered.segments == nil ? nil : true
        if recovered.record != record {
            try file.store(recovered.record, named: name, in: directory)
        }
        content = recovered
        return self.checkpoint
    }

    /// Gives up the file's bytes, and begins a file for the bytes of another version.
    ///
    /// - Throws: ``TransferError/Code/cannotCreateFile`` or ``TransferError/Code/diskFull``.
    package func begin(_ version: ResourceVersion) throws(TransferError) {
        let record = Record(
            generation: .random(in: .min ... .max),
            version: version,
            bootIdentifier: currentBoot
        )
        let isRecorded = recordKeeping == .always
        let file: OpenFile
        do {
            file = try OpenFile(
                creating: name,
                in: directory,
                record: isRecorded ? record : nil
            )
        } catch {
            // Nothing has been given up, unless the record is stored beside the file.
            if let content, (try? content.file.size()) != content.byteCount { close() }
            throw error
        }
        epoch += 1
        isRecovered = true
        content = Content(
            file: file,
            record: record,
            isAnchored: false,
            isRecorded: isRecorded
        )
        wasBegun = true
    }

    /// Closes the file; its bytes stay, and a later call of ``recover(checkpoint:)`` opens it again.
    package func close() {
        epoch += 1
        content = nil
        isRecovered = false
    }
}

extension PartialFile.Content {
    /// Describes the bytes found in a file: without segments if they are in order.
    fileprivate init(
        file: PartialFile.OpenFile,
        record: PartialFile.Record,
        _ trusted: ByteRanges,
        _ synchronized: ByteRanges
    ) {
        let isInOrder = trusted.prefixByteCount == trusted.byteCount
        self.init(
            file: file,
            record: record,
            byteCount: trusted.prefixByteCount,
            synchronizedByteCount: min(synchronized.prefixByteCount, trusted.prefixByteCount),
            segments: isInOrder ? nil : Segments(written: trusted, synchronized: synchronized),
            isAnchored: !synchronized.isEmpty
        )
    }
}
