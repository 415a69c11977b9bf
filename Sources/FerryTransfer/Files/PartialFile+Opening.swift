extension PartialFile {
    /// Opens the file if there is one, and gives up every byte that nothing proves.
    ///
    /// - Parameter checkpoint: The latest checkpoint that was kept elsewhere.
    /// - Returns: What the file holds now; `nil` when that is nothing.
    /// - Throws: ``TransferError/Code/cannotCreateFile`` when what stands behind the name is not
    ///   a file of the user's own, or cannot be opened.
    @discardableResult
    package func recover(checkpoint: Checkpoint?) throws(TransferError) -> Checkpoint? {
        if recordKeeping == .onDemand, !wasBegun {
            isRecovered = true
            return nil
        }
        do throws(TransferError) {
            try storeRecord()
        } catch  where error.code == .fileChanged {
            // Without a record what is left of it is not found.
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
            // What is left of the bytes that nothing proves is written over.
            try storeTable(of: recovered, padded: true)
        } else if recovered.byteCount < size {
            try file.truncate(to: recovered.byteCount)
        }
        // From here on the page cache vouches for all that is left.
        recovered.record.bootIdentifier = currentBoot
        recovered.record.hasTable = recovered.segments == nil ? nil : true
        if recovered.record != record {
            try file.store(recovered.record, named: name, in: directory)
        }
        content = recovered
        return self.checkpoint
    }

    /// Gives up what the file holds, and begins one for the bytes of another version.
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
            // Nothing has been given up, unless the record was to lie beside the file.
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

    /// Closes the file; what it holds stays, and a later call of ``recover(checkpoint:)``
    /// opens it again.
    package func close() {
        epoch += 1
        content = nil
        isRecovered = false
    }
}

extension PartialFile.Content {
    /// What was found in a file: an ordinary one where the bytes come one after the other.
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
