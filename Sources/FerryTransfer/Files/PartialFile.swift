package import FerrySystem

/// The file for a download's body, with a record of what its bytes are.
///
/// The name always refers to a file whose record is true of every byte in it: the record is stored before the
/// first byte, and a download that starts over begins another file, which takes the name in one step. So a
/// process may die at any moment, and a checkpoint that was kept elsewhere is never mistaken for one of these
/// bytes (see ``Checkpoint/generation``).
@LoopActor
package final class PartialFile {
    /// The file's directory.
    package internal(set) var directory: Directory
    /// The file's name there.
    package internal(set) var name: String
    /// Whether the file's content is known: after ``recover(checkpoint:)``, ``begin(_:)`` or ``remove()``.
    package internal(set) var isRecovered = false

    let currentBoot: BootIdentifier
    let recordKeeping: RecordKeeping
    let force: Force
    /// Makes another name when the name is that of another file; `nil` for a file with a name of its own.
    private let makeName: (() -> String)?
    var content: Content?
    /// Whether there may be a file of this name.
    var mayExist: Bool
    /// Changes whenever bytes are given up, which voids the results of earlier synchronizations.
    var epoch: UInt64 = 0

    /// Names a file; nothing is opened or created yet.
    ///
    /// - Parameters:
    ///   - directory: The file's directory.
    ///   - name: Its name there, and the start of the names of ``companionSuffixes``.
    ///   - currentBoot: The current boot.
    ///   - recordKeeping: When the record is stored where another process finds it.
    ///   - mayExist: Whether there may be such a file; if not, ``recover(checkpoint:)`` looks for none.
    package convenience init(
        directory: Directory,
        name: String,
        currentBoot: BootIdentifier = .current,
        recordKeeping: RecordKeeping = .always,
        mayExist: Bool = true
    ) {
        self.init(
            directory: directory,
            name: name,
            currentBoot: currentBoot,
            recordKeeping: recordKeeping,
            mayExist: mayExist,
            force: Self.forceOntoDisk
        )
    }

    /// Names a file that is created under the first name that no other file has; its record is stored on demand.
    ///
    /// - Parameters:
    ///   - directory: The file's directory.
    ///   - makeName: Makes a name.
    package convenience init(directory: Directory, named makeName: @escaping () -> String) {
        self.init(
            directory: directory,
            name: makeName(),
            currentBoot: .current,
            recordKeeping: .onDemand,
            mayExist: false,
            orNamed: makeName,
            force: Self.forceOntoDisk
        )
    }

    /// Also takes the function that forces a file onto the disk; its directory may be there already.
    init(
        directory: Directory,
        name: String,
        currentBoot: BootIdentifier,
        recordKeeping: RecordKeeping = .always,
        mayExist: Bool = true,
        orNamed makeName: (() -> String)? = nil,
        force: @escaping Force
    ) {
        self.directory = directory
        self.name = name
        self.currentBoot = currentBoot
        self.recordKeeping = recordKeeping
        self.mayExist = mayExist
        self.makeName = makeName
        self.force = force
    }

    typealias Force = @Sendable (OpenFile, _ isAnchored: Bool) throws(TransferError) -> Void

    private static let forceOntoDisk: Force = { (file, isAnchored) throws(TransferError) in
        try file.synchronize(withRecord: !isAnchored)
    }

    /// The file's path.
    package var path: String { directory.path(of: name) }

    /// The number of bytes that the file holds.
    package var byteCount: Int64 { content?.byteCount ?? 0 }

    /// The checkpoint to keep elsewhere; `nil` when the file holds nothing.
    package var checkpoint: Checkpoint? {
        content.map { content in
            Checkpoint(
                generation: content.record.generation,
                version: content.record.version,
                synchronizedByteCount: content.synchronizedByteCount,
                writtenByteCount: content.byteCount,
                bootIdentifier: content.record.bootIdentifier,
                fruitlessResumptionCount: content.record.fruitlessResumptionCount,
                segments: content.segments.map {
                    Checkpoint.Segments(written: $0.written, synchronized: $0.synchronized)
                }
            )
        }
    }

    /// The error for a file that was not begun.
    var notBegun: TransferError {
        TransferError(code: .internalFailure, message: "\(path) was not begun")
    }
}

extension PartialFile {
    /// Opens the file if there is one, and gives up every byte that is not proved.
    ///
    /// - Parameter checkpoint: The latest checkpoint that was kept elsewhere.
    /// - Returns: The checkpoint of the bytes in the file now; `nil` when there are none.
    /// - Throws: ``TransferError/Code/cannotCreateFile`` when the name does not refer to a file of this user,
    ///   or the file cannot be opened.
    @discardableResult
    package func recover(checkpoint: Checkpoint?) throws(TransferError) -> Checkpoint? {
        guard mayExist else {
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
            generation: Self.nextGeneration(),
            version: version,
            bootIdentifier: currentBoot
        )
        let file = try create()
        epoch += 1
        isRecovered = true
        content = Content(file: file, record: record, isAnchored: false, isRecorded: false)
        mayExist = true
    }

    private func create() throws(TransferError) -> OpenFile {
        guard let makeName, !mayExist else { return try OpenFile(creating: name, in: directory) }
        while true {
            if let file = try OpenFile(creatingNew: name, in: directory) { return file }
            name = makeName()
        }
    }

    /// Returns a number that no other file's content has, in this process or in another.
    private static func nextGeneration() -> UInt64 {
        // A random number for each costs a system call.
        latestGeneration &+= 1
        return latestGeneration
    }

    private static var latestGeneration = UInt64.random(in: .min ... .max)

    /// Closes the file; its bytes stay, and a later call of ``recover(checkpoint:)`` opens it again.
    package func close() {
        keep()
        forget()
    }

    /// Closes the file without keeping its bytes for later.
    func forget() {
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
