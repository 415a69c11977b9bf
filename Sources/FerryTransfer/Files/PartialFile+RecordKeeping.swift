import FerrySystem

extension PartialFile {
    /// When the record is put where another process finds it.
    package enum RecordKeeping: Sendable {
        /// Before the first byte.
        case always
        /// When ``storeRecord()`` is called: for a file whose name nobody else knows until then, and
        /// that did not exist before.
        case onDemand
    }

    /// Takes the record off a file that is complete, which is open still.
    ///
    /// What is left of it by a failure does no harm.
    package func removeRecord() {
        guard let content, content.isRecorded, !content.file.removeRecord() else { return }
        try? directory.remove(name + ".record")
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
