import FerrySystem

extension PartialFile {
    /// When the record is stored where another process finds it.
    package enum RecordKeeping: Sendable {
        /// Before the first byte.
        case always
        /// When ``storeRecord()`` is called: for a file that did not exist before and whose name no other
        /// process knows until then.
        case onDemand
    }

    /// Removes the record from a complete file that is still open.
    ///
    /// If this fails, the remains do no harm.
    package func removeRecord() {
        guard let content, content.isRecorded, !content.file.removeRecord() else { return }
        try? directory.remove(name + ".record")
    }

    /// Stores the record where another process finds it, if it is not there yet.
    package func storeRecord() throws(TransferError) {
        guard let content, !content.isRecorded else { return }
        if content.segments != nil { try requireUndisturbed() }
        var recorded = content
        recorded.isRecorded = true
        try storeTable(of: recorded, padded: true)
        try content.file.store(content.record, named: name, in: directory)
        self.content = recorded
    }

    /// Continues at the end; more may be known about the version than before.
    package func resume(_ version: ResourceVersion) throws(TransferError) {
        guard var record = content?.record else { throw notBegun }
        record.version = version
        try replaceRecord(by: record)
    }

    /// Records how often in a row a request for the rest was interrupted before a byte of it arrived.
    ///
    /// The count belongs to the bytes and moves with them; without bytes it is of no use.
    package func noteFruitlessResumptions(_ count: Int) throws(TransferError) {
        guard var record = content?.record else { return }
        record.fruitlessResumptionCount = count
        try replaceRecord(by: record)
    }

    /// Records that the file has a table, from its first write until it is removed.
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
