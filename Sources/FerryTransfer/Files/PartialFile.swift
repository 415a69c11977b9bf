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
    var content: Content?
    /// Whether there has been a file of this name, as far as this object knows.
    var wasBegun = false
    /// Changes whenever bytes are given up, which voids the results of earlier synchronizations.
    var epoch: UInt64 = 0

    /// Names a file; nothing is opened or created yet.
    ///
    /// - Parameters:
    ///   - directory: The file's directory.
    ///   - name: Its name there, and the start of the names of ``companionSuffixes``.
    ///   - currentBoot: The current boot.
    ///   - recordKeeping: When the record is stored where another process finds it.
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

    /// Also takes the function that forces a file onto the disk; its directory may be there already.
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
