package import FerrySystem

/// The file that a download's body goes to, with a record of what its bytes are.
///
/// The name always stands for a file whose record is true of every byte in it: the record is
/// stored before the first byte, and a download that starts over begins another file, which takes
/// the name in one step. So a process may die at any moment, and a checkpoint that was kept
/// elsewhere can never be taken for one of these bytes (see ``Checkpoint/generation``).
@LoopActor
package final class PartialFile {
    /// Where the file lies.
    package internal(set) var directory: Directory
    /// The file's name there.
    package internal(set) var name: String
    /// Whether it is known what the file holds: after ``recover(checkpoint:)``, ``begin(_:)`` or
    /// ``remove()``.
    package internal(set) var isRecovered = false

    let currentBoot: BootIdentifier
    let recordKeeping: RecordKeeping
    let force: Force
    var content: Content?
    /// Whether there has been a file of this name, as far as this object knows.
    var wasBegun = false
    /// Changes whenever bytes are given up: what a synchronisation found before is void then.
    var epoch: UInt64 = 0

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
        ) { (file, isAnchored) throws(TransferError) in
            try file.synchronize(withRecord: !isAnchored)
        }
    }

    /// Also takes what forces a file onto the disk; its directory may be there already.
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

    typealias Force = @Sendable (OpenFile, _ isAnchored: Bool) throws(TransferError) -> Void

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
                fruitlessResumptionCount: content.record.fruitlessResumptionCount,
                segments: content.segments.map {
                    Checkpoint.Segments(written: $0.written, synchronized: $0.synchronized)
                }
            )
        }
    }

    /// What is wrong where there is no file to write to.
    var notBegun: TransferError {
        TransferError(code: .internalFailure, message: "\(path) was not begun")
    }
}
