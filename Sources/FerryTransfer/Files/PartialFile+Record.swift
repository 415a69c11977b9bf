package import FerrySystem
import FoundationEssentials

extension PartialFile {
    /// The description that a partial file carries of its own bytes.
    ///
    /// It is written before the first of them, so that a process that dies at any moment leaves a
    /// self-describing file; but a small file that a single write completes has none.
    package struct Record: Hashable, Sendable, Codable {
        /// The generation of the file's content; a random number.
        package var generation: UInt64
        /// The version of the resource that the bytes belong to.
        package var version: ResourceVersion
        /// The boot in which all bytes in the file are known to be good.
        package var bootIdentifier: BootIdentifier
        /// How often in a row a request for the rest was interrupted before a byte of it arrived.
        package var fruitlessResumptionCount = 0
        /// Whether the file has a table of its segments.
        ///
        /// Otherwise a file whose table was truncated would pass for one that was filled in order.
        package var hasTable: Bool?
        /// The odd answer that came last in place of the rest.
        package var doubt: Doubt?

        /// The extended attribute that holds the record.
        static let attributeName = "user.ferry.transfer"

        /// The record as it is stored.
        func encoded() throws(TransferError) -> [UInt8] {
            do {
                return Array(try Self.encoder.encode(self))
            } catch {
                throw TransferError(code: .internalFailure, message: "record: \(error)")
            }
        }

        /// Reads what ``encoded()`` wrote; `nil` for anything else.
        init?(decoding bytes: [UInt8]) {
            guard let record = try? Self.decoder.decode(Self.self, from: Data(bytes)) else {
                return nil
            }
            self = record
        }

        private static let encoder = JSONEncoder()
        private static let decoder = JSONDecoder()

        init(generation: UInt64, version: ResourceVersion, bootIdentifier: BootIdentifier) {
            self.generation = generation
            self.version = version
            self.bootIdentifier = bootIdentifier
        }

        /// Returns which bytes of a file of `fileSize` bytes are those that were written, given its table and
        /// the latest checkpoint that was kept elsewhere.
        ///
        /// A checkpoint of another generation says nothing about these bytes.
        func trustedBytes(
            currentBoot: BootIdentifier,
            fileSize: Int64,
            table: SegmentTable?,
            checkpoint: Checkpoint?
        ) -> ByteRanges {
            var proof = Checkpoint(
                generation: generation,
                version: version,
                synchronizedByteCount: 0,
                writtenByteCount: fileSize,
                bootIdentifier: bootIdentifier
            )
            if let checkpoint, checkpoint.generation == generation {
                proof.synchronizedByteCount = checkpoint.synchronizedByteCount
                proof.segments = checkpoint.segments
            }
            return proof.trustedBytes(
                currentBoot: currentBoot,
                fileSize: fileSize,
                written: table?.written ?? (hasTable == true ? proof.synchronizedBytes : nil)
            )
        }
    }
}

extension PartialFile {
    /// When the record is stored where another process finds it.
    package enum RecordKeeping: Sendable {
        /// Before the first byte, unless the first write completes the file and it has at most 16 KiB.
        ///
        /// Receiving such a file again after a kill costs less than a record for each, which is removed at once.
        case always
        /// When ``storeRecord()`` is called: for a file that did not exist before and whose name no other
        /// process knows until then.
        case onDemand
    }

    /// The maximum length of a file that needs no record.
    private static let byteCountWithoutRecord: Int64 = 16 << 10

    /// Removes the record from a complete file that is still open.
    ///
    /// If this fails, the remains do no harm.
    func removeRecord() {
        guard let content, content.isRecorded, !content.file.removeRecord() else { return }
        try? directory.remove(name + ".record")
    }

    /// Stores the record where another process finds it, if it is not there yet.
    package func storeRecord() throws(TransferError) {
        guard let content, !content.isRecorded else { return }
        if content.segments != nil { try requireUndisturbed() }
        var recorded = content
        recorded.isRecorded = true
        recorded.isAnchored = false
        try storeTable(of: recorded, padded: true)
        try content.file.store(content.record, named: name, in: directory)
        self.content = recorded
    }

    /// Stores the record of a file that was to need none, as its bytes are to be found later.
    ///
    /// Without a record, they are received again.
    package func keep() {
        if recordKeeping == .always { try? storeRecord() }
    }

    /// Stores the record before a write that does not complete the file.
    func storeRecord(beforeWriting range: Range<Int64>) throws(TransferError) {
        guard recordKeeping == .always, let content, !content.isRecorded else { return }
        let isWhole =
            range.lowerBound == 0 && range.upperBound == content.record.version.totalByteCount
        if !isWhole || range.upperBound > Self.byteCountWithoutRecord { try storeRecord() }
    }

    /// Continues at the end; more may be known about the version than before.
    package func resume(_ version: ResourceVersion) throws(TransferError) {
        guard var record = content?.record else { throw notBegun }
        record.version = version
        record.doubt = nil
        try replaceRecord(by: record)
    }

    /// Records an odd answer in place of the rest; the first of several equal ones counts.
    package func record(_ answer: OddAnswer) throws(TransferError) {
        guard var record = content?.record, record.doubt?.answer != answer else { return }
        record.doubt = Doubt(answer, in: currentBoot)
        try replaceRecord(by: record)
    }

    /// Returns the odd answer that came last, if it came for the first time at least so long ago.
    package func oddAnswer(atLeast time: Duration) -> OddAnswer? {
        guard let doubt = content?.record.doubt,
            doubt.age(in: currentBoot) >= time * doubt.answer.doubtFactor
        else { return nil }
        return doubt.answer
    }

    /// Records how often in a row a request for the rest was interrupted before a byte of it arrived.
    ///
    /// The count belongs to the bytes and moves with them; without bytes it is of no use.
    package func recordFruitlessResumptions(_ count: Int) throws(TransferError) {
        guard var record = content?.record else { return }
        record.fruitlessResumptionCount = count
        try replaceRecord(by: record)
    }

    /// Records that the file has a table, from its first write until it is removed.
    func recordTable(_ hasTable: Bool?) throws(TransferError) {
        guard var record = content?.record else { return }
        record.hasTable = hasTable
        try replaceRecord(by: record)
    }

    /// Replaces the record by another about the same bytes.
    private func replaceRecord(by record: Record) throws(TransferError) {
        guard let content, content.record != record else { return }
        if content.isRecorded {
            try content.file.store(record, named: name, in: directory)
            // An extended attribute is on the disk after fsync(2), but not after fdatasync(2).
            self.content?.isAnchored = false
        }
        self.content?.record = record
    }
}
