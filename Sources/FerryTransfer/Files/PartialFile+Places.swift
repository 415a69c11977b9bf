package import FerrySystem

extension PartialFile {
    /// The suffixes of the files that may exist beside a partial file `name`.
    nonisolated package static let companionSuffixes = [".new", ".record", ".record.new"]
    /// The suffix of the mark beside a finished file of which an app is being told: a file that is missing then was taken.
    ///
    /// It stays until the app has acknowledged that.
    nonisolated package static let toldSuffix = ".told"
    /// The suffixes of the files to delete, in this order: a record that outlived its file would apply to the
    /// next file of that name.
    nonisolated package static let suffixesToRemove = companionSuffixes + [toldSuffix, ""]

    /// Moves the file to another place of the same file system, replacing any file there; it can still be
    /// continued.
    ///
    /// - Throws: ``TransferError/Code/fileMissing`` when there is no file.
    package func move(to target: Directory, as newName: String) throws(TransferError) {
        do {
            // A record without its file is harmless; a file without its record is lost.
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

    /// Moves the complete file to its destination, and removes its record.
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
        forget()
    }

    /// Ends the work on the complete file, which keeps its name: removes its record, and closes it.
    package func finish() {
        removeRecord()
        forget()
    }

    /// Removes the file and the files beside it; a missing file is no error.
    package func remove() throws(TransferError) {
        forget()
        do {
            for suffix in Self.suffixesToRemove { try directory.remove(name + suffix) }
            isRecovered = true
            mayExist = false
        } catch {
            throw TransferError(error, during: .write)
        }
    }
}
