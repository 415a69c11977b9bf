package import FerrySystem
import Glibc

/// The file that a download's body goes to, with a record of what its bytes are.
///
/// The name always stands for a file whose record is true of every byte in it: the record is
/// stored before the first byte, and a download that starts over begins another file, which takes
/// the name in one step. So a process may die at any moment, and a checkpoint that was kept
/// elsewhere can never be taken for one of these bytes (see ``Checkpoint/generation``).
@LoopActor
package final class PartialFile {
    /// Where the file lies.
    package private(set) var directory: Directory
    /// The file's name there.
    package private(set) var name: String
    /// Whether it is known what the file holds: after ``recover(checkpoint:)``, ``begin(_:)`` or
    /// ``remove()``.
    package private(set) var isRecovered = false

    private let currentBoot: BootIdentifier
    private let recordKeeping: RecordKeeping
    private let force: Force
    private var content: Content?
    /// Whether there has been a file of this name, as far as this object knows.
    private var wasBegun = false
    /// Changes whenever bytes are given up: what a synchronisation found before is void then.
    private var epoch: UInt64 = 0

    /// What is known of the file that stands behind the name.
    private struct Content {
        var file: OpenFile
        var record: Record
        var byteCount: Int64
        var synchronizedByteCount: Int64
        /// Whether the file's entry in its directory, and its record, are on the disk.
        var isAnchored: Bool
        /// Whether the record is with the file, and not only here.
        var isRecorded = true
    }

    /// When the record is put where another process finds it.
    package enum RecordKeeping: Sendable {
        /// Before the first byte.
        case always
        /// When ``storeRecord()`` is called: for a file whose name nobody else knows until then, and
        /// that did not exist before.
        case onDemand
    }

    /// Names a file; nothing is opened or created yet.
    ///
    /// - Parameters:
    ///   - directory: Where the file lies or will lie.
    ///   - name: Its name there, and the start of the names of ``companionSuffixes``.
    ///   - currentBoot: The present run of the kernel.
    ///   - recordKeeping: When the record is put where another process finds it.
    package convenience init(
        directory: Directory,
        name: String,
        currentBoot: BootIdentifier = .current,
        recordKeeping: RecordKeeping = .always
    ) {
        self.init(
            directory: directory,
            name: name,
            currentBoot: currentBoot,
            recordKeeping: recordKeeping
        ) { (file, anchor) throws(TransferError) in
            try file.synchronize(anchoringIn: anchor)
        }
    }

    /// Also takes what forces a file onto the disk, and its directory where one is given.
    init(
        directory: Directory,
        name: String,
        currentBoot: BootIdentifier,
        recordKeeping: RecordKeeping = .always,
        force: @escaping Force
    ) {
        self.directory = directory
        self.name = name
        self.currentBoot = currentBoot
        self.recordKeeping = recordKeeping
        self.force = force
    }

    typealias Force = @Sendable (OpenFile, Directory?) throws(TransferError) -> Void

    /// The file's path.
    package var path: String { directory.path(of: name) }

    /// The number of bytes that the file holds.
    package var byteCount: Int64 { content?.byteCount ?? 0 }

    /// What there is to keep about the file elsewhere; `nil` when it holds nothing.
    package var checkpoint: Checkpoint? {
        content.map { content in
            Checkpoint(
                generation: content.record.generation,
                version: content.record.version,
                synchronizedByteCount: content.synchronizedByteCount,
                writtenByteCount: content.byteCount,
                bootIdentifier: content.record.bootIdentifier,
                fruitlessResumptionCount: content.record.fruitlessResumptionCount
            )
        }
    }

    // MARK: - Content

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
        try storeRecord()
        close()
        isRecovered = true
        guard let file = try OpenFile(existing: name, in: directory) else { return nil }
        guard let record = file.readRecord(named: name, in: directory, currentBoot: currentBoot)
        else { return nil }
        let size = try file.size()
        let trusted = record.trustedByteCount(
            currentBoot: currentBoot,
            fileSize: size,
            checkpoint: checkpoint
        )
        guard trusted > 0 else { return nil }
        let isKnown = checkpoint?.generation == record.generation
        let synchronized = isKnown ? checkpoint?.synchronizedByteCount ?? 0 : 0
        var recovered = Content(
            file: file,
            record: record,
            byteCount: trusted,
            synchronizedByteCount: max(0, min(synchronized, trusted)),
            isAnchored: synchronized > 0
        )
        if trusted < size { try file.truncate(to: trusted) }
        if record.bootIdentifier != currentBoot {
            // From here on the page cache vouches for all that is left.
            recovered.record.bootIdentifier = currentBoot
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
            byteCount: 0,
            synchronizedByteCount: 0,
            isAnchored: false,
            isRecorded: isRecorded
        )
        wasBegun = true
    }

    /// Puts the record where another process finds it, if it is not there yet.
    package func storeRecord() throws(TransferError) {
        guard let content, !content.isRecorded else { return }
        try content.file.store(content.record, named: name, in: directory)
        self.content?.isRecorded = true
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

    /// Replaces the record by another about the same bytes.
    private func replaceRecord(by record: Record) throws(TransferError) {
        guard let content, content.record != record else { return }
        if content.isRecorded { try content.file.store(record, named: name, in: directory) }
        self.content?.record = record
    }

    /// Whether the file holds these bytes at this place.
    package func holds(
        _ bytes: UnsafeRawBufferPointer,
        at offset: Int64
    ) throws(TransferError) -> Bool {
        guard let content else { throw notBegun }
        guard offset + Int64(bytes.count) <= content.byteCount else { return false }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { buffer.deallocate() }
        var count = 0
        while count < bytes.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            count += try content.file.read(into: rest, at: offset + Int64(count))
        }
        return buffer.elementsEqual(bytes)
    }

    /// Appends bytes, into the page cache.
    ///
    /// - Throws: ``TransferError/Code/diskFull`` or ``TransferError/Code/cannotWriteToFile``;
    ///   ``byteCount`` tells how many bytes were written before.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(TransferError) {
        guard let content else { throw notBegun }
        var rest = bytes
        while !rest.isEmpty {
            let count = try content.file.write(rest, at: byteCount)
            self.content?.byteCount += Int64(count)
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }

    /// Appends what is in a pipe.
    ///
    /// - Throws: As ``write(_:)``; what was not written is left in the pipe.
    package func write(_ pipe: SplicePipe) throws(TransferError) {
        guard let content else { throw notBegun }
        while pipe.count > 0 {
            let count = try content.file.write(pipe, at: byteCount)
            self.content?.byteCount += Int64(count)
        }
    }

    /// Closes the file; what it holds stays, and a later call of ``recover(checkpoint:)``
    /// opens it again.
    package func close() {
        epoch += 1
        content = nil
        isRecovered = false
    }

    // MARK: - The disk

    /// Forces the bytes that are written by now onto the disk.
    ///
    /// A failure gives up the bytes that were not on the disk before: the kernel reports a failed
    /// write-back once and then drops the pages, so that nothing vouches for them any more.
    ///
    /// - Parameters:
    ///   - queue: Where to wait for the disk.
    ///   - completion: Called on the loop, later in any case.
    package func synchronize(
        on queue: BlockingQueue,
        completion: @escaping @LoopActor @Sendable (Result<Void, TransferError>) -> Void
    ) {
        guard let content else {
            LoopActor.perform { completion(.success(())) }
            return
        }
        let epoch = epoch
        let count = content.byteCount
        let file = content.file
        let anchor = content.isAnchored ? nil : directory
        let force = force
        queue.perform {
            let result = Result { () throws(TransferError) in try force(file, anchor) }
            LoopActor.perform {
                completion(self.synchronized(count, since: epoch, result))
            }
        }
    }

    private func synchronized(
        _ count: Int64,
        since epoch: UInt64,
        _ result: Result<Void, TransferError>
    ) -> Result<Void, TransferError> {
        // The bytes in question may have been given up meanwhile, with whatever befell them.
        guard epoch == self.epoch, let content else { return .success(()) }
        switch result {
        case .success:
            self.content?.synchronizedByteCount = max(count, content.synchronizedByteCount)
            self.content?.isAnchored = true
            return result
        case .failure(let error):
            do {
                // No checkpoint has vouched for what is cut off.
                try content.file.truncate(to: content.synchronizedByteCount)
                self.epoch += 1
                self.content?.byteCount = content.synchronizedByteCount
                return .failure(error)
            } catch {
                close()
                return .failure(error)
            }
        }
    }

    private var notBegun: TransferError {
        TransferError(code: .internalFailure, message: "\(path) was not begun")
    }
}

// MARK: - Places

extension PartialFile {
    /// Files that may lie beside a partial file `name`: `name` with one of these at its end.
    nonisolated package static let companionSuffixes = [".new", ".record", ".record.new"]

    /// Moves the file to another place of the same file system, replacing what is there; it can
    /// still be continued.
    ///
    /// - Throws: ``TransferError/Code/fileMissing`` when there is no file.
    package func move(to target: Directory, as newName: String) throws(TransferError) {
        do {
            // A record without its file is nothing; a file without its record is lost.
            if try directory.status(of: name + ".record") != nil {
                try directory.rename(
                    name + ".record",
                    to: target,
                    as: newName + ".record",
                    replacing: true
                )
            }
            try directory.rename(name, to: target, as: newName, replacing: true)
        } catch {
            throw TransferError(error, during: .open)
        }
        directory = target
        name = newName
        content?.isAnchored = false
    }

    /// Moves the complete file to the place where it is handed over, and takes the record off it.
    ///
    /// - Parameters:
    ///   - target: A directory of the same file system.
    ///   - newName: The file's name there.
    ///   - replacing: Whether a file of that name is replaced.
    /// - Throws: ``TransferError/Code/fileMissing`` when there is no file,
    ///   ``TransferError/Code/cannotCreateFile`` when there is one at the target.
    package func publish(
        to target: Directory,
        as newName: String,
        replacing: Bool = false
    ) throws(TransferError) {
        let isRecorded = content?.isRecorded ?? true
        let file: OpenFile?
        if let content {
            file = content.file
        } else {
            file = try OpenFile(existing: name, in: directory)
        }
        do {
            try directory.rename(name, to: target, as: newName, replacing: replacing)
            // In this order a process that dies between the two leaves a complete file.
            if isRecorded { try directory.remove(name + ".record") }
        } catch {
            throw TransferError(error, during: .open)
        }
        if isRecorded { file?.removeRecord() }
        close()
    }

    /// Removes the file and what lies beside it; that there is none is no error.
    package func remove() throws(TransferError) {
        close()
        do {
            for suffix in [""] + Self.companionSuffixes { try directory.remove(name + suffix) }
            isRecovered = true
        } catch {
            throw TransferError(error, during: .write)
        }
    }
}
