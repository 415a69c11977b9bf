extension PartialFile {
    /// When the record is put where another process finds it.
    package enum RecordKeeping: Sendable {
        /// Before the first byte.
        case always
        /// Before the first byte, unless the bytes that come first are all that there are: a file without a record is
        /// complete, or a process has died that was about to say so, and it is filled again.
        case unlessComplete
        /// When ``storeRecord()`` is called: for a file whose name nobody else knows until then, and
        /// that did not exist before.
        case onDemand
    }

    /// Whether the record is, or may be, where another process finds it.
    package var hasRecord: Bool { content?.isRecorded ?? true }

    /// Puts the record where another process finds it, if it belongs there before so many bytes are written.
    func storeRecord(before byteCount: Int) throws(TransferError) {
        guard recordKeeping == .unlessComplete, let content, !content.isRecorded,
            content.byteCount + Int64(byteCount) != content.record.version.totalByteCount
        else { return }
        try storeRecord()
    }

    /// Puts the record where another process finds it, if it is not there yet.
    package func storeRecord() throws(TransferError) {
        guard let content, !content.isRecorded else { return }
        if content.segments != nil { try requireUndisturbed() }
        var recorded = content
        recorded.isRecorded = true
        try storeTable(of: recorded, padded: true)
        try content.file.store(content.record, named: name, in: directory)
        self.content = recorded
    }

    /// Goes on at the end, of a version of which more may be known than before.
    package func resume(_ version: ResourceVersion) throws(TransferError) {
        guard var record = content?.record else { throw notBegun }
        record.version = version
        try replaceRecord(by: record)
    }

    /// Remembers how often in a row a request for the rest was cut off before a byte of it came.
    ///
    /// The count belongs to the bytes, and goes where they go; without any, it is of no use.
    package func noteFruitlessResumptions(_ count: Int) throws(TransferError) {
        guard var record = content?.record else { return }
        record.fruitlessResumptionCount = count
        try replaceRecord(by: record)
    }

    /// Remembers that the file has a table: when it is there, and until it goes.
    func noteTable(_ hasTable: Bool?) throws(TransferError) {
        guard var record = content?.record else { return }
        record.hasTable = hasTable
        try replaceRecord(by: record)
    }

    /// Replaces the record by another about the same bytes.
    private func replaceRecord(by record: Record) throws(TransferError) {
        guard let content, content.record != record else { return }
        if content.isRecorded { try content.file.store(record, named: name, in: directory) }
        self.content?.record = record
    }
}
