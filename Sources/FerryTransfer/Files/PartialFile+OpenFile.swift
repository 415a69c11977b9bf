import FerrySystem
import Glibc

extension PartialFile {
    /// An open partial file, closed when its last user is done, such as a running synchronization.
    final class OpenFile: Sendable {
        private let descriptor: FileDescriptor

        private init(_ descriptor: consuming FileDescriptor) {
            self.descriptor = descriptor
        }

        /// Opens a file if there is one.
        ///
        /// - Throws: ``TransferError/Code/cannotCreateFile`` for anything but a regular file of this user.
        convenience init?(existing name: String, in directory: Directory) throws(TransferError) {
            do {
                self.init(try directory.open(name, .readWrite))
            } catch let error where error.errno == ENOENT {
                return nil
            } catch {
                throw TransferError(error, during: .open)
            }
            let status = try status()
            guard status.isRegularFile, status.owner == geteuid() else {
                throw TransferError(
                    code: .cannotCreateFile,
                    message: "\(directory.path(of: name)) is not a file of this user's own"
                )
            }
        }

        /// Creates a file without a record in place of the file of that name.
        convenience init(creating name: String, in directory: Directory) throws(TransferError) {
            do throws(SystemCallError) {
                self.init(try Self.create(name, in: directory))
            } catch {
                throw TransferError(error, during: .create)
            }
        }

        /// Creates a file without a record; `nil` if there is one of that name.
        convenience init?(creatingNew name: String, in directory: Directory) throws(TransferError) {
            do throws(SystemCallError) {
                self.init(try directory.open(name, .createNew))
            } catch let error where error.errno == EEXIST {
                return nil
            } catch {
                throw TransferError(error, during: .create)
            }
        }

        private static func create(
            _ name: String,
            in directory: Directory
        ) throws(SystemCallError) -> FileDescriptor {
            do throws(SystemCallError) {
                return try directory.open(name, .createNew)
            } catch let error where error.errno == EEXIST {
                return try replace(name, in: directory)
            }
        }

        private static func replace(
            _ name: String,
            in directory: Directory
        ) throws(SystemCallError) -> FileDescriptor {
            let temporaryName = name + ".new"
            try directory.remove(temporaryName)
            let file = try directory.open(temporaryName, .createNew)
            try directory.rename(temporaryName, to: directory, as: name, replacing: true)
            // Until then, a record beside the old file vouches for none of the new file's bytes: it has none.
            try directory.remove(name + ".record")
            return file
        }

        // MARK: - Content

        /// Makes this file share the content of another one, if the file system supports that.
        ///
        /// - Returns: Whether it could.
        func share(_ source: OpenFile) -> Bool {
            (try? descriptor.clone(source.descriptor)) != nil
        }

        private func status() throws(TransferError) -> FileStatus {
            do {
                return try descriptor.status()
            } catch {
                throw TransferError(error, during: .open)
            }
        }

        /// Which file it is, how many names it has, and how long it is.
        func identity() throws(TransferError) -> FileIdentity {
            do {
                return try descriptor.identity()
            } catch {
                throw TransferError(error, during: .open)
            }
        }

        func size() throws(TransferError) -> Int64 {
            do {
                return try descriptor.size()
            } catch {
                throw TransferError(error, during: .write)
            }
        }

        func truncate(to size: Int64) throws(TransferError) {
            do {
                try descriptor.truncate(to: size)
            } catch {
                throw TransferError(error, during: .write)
            }
        }

        /// Reads some bytes and returns how many, at least 1.
        func read(
            into buffer: UnsafeMutableRawBufferPointer,
            at offset: Int64
        ) throws(TransferError) -> Int {
            let raw = descriptor.rawValue
            do throws(SystemCallError) {
                let count = try systemCall("pread") {
                    pread(raw, buffer.baseAddress, buffer.count, Int(offset))
                }
                guard count > 0 else { throw SystemCallError(call: "pread", errno: EIO) }
                return count
            } catch {
                throw TransferError(error, during: .open)
            }
        }

        /// Writes some bytes and returns how many, at least 1.
        func write(
            _ bytes: UnsafeRawBufferPointer,
            at offset: Int64
        ) throws(TransferError) -> Int {
            let raw = descriptor.rawValue
            do throws(SystemCallError) {
                let count = try systemCall("pwrite") {
                    pwrite(raw, bytes.baseAddress, bytes.count, Int(offset))
                }
                guard count > 0 else { throw SystemCallError(call: "pwrite", errno: EIO) }
                return count
            } catch {
                throw TransferError(error, during: .write)
            }
        }

        /// Writes up to `limit` bytes from a pipe and returns how many, at least 1.
        func write(
            _ pipe: SplicePipe,
            at offset: Int64,
            limit: Int = .max
        ) throws(TransferError) -> Int {
            do throws(SystemCallError) {
                return try pipe.empty(into: descriptor, at: offset, limit: limit)
            } catch {
                throw TransferError(error, during: .write)
            }
        }

        /// Forces the data onto the disk, and the first time also the record, which `fdatasync` may leave out.
        func synchronize(withRecord: Bool) throws(TransferError) {
            do {
                if withRecord {
                    try descriptor.synchronize()
                } else {
                    try descriptor.synchronizeData()
                }
            } catch {
                throw TransferError(error, during: .write)
            }
        }

        // MARK: - The record

        /// Reads the record, or `nil` when there is none that can be relied on.
        ///
        /// A record beside the file is valid only in the boot that wrote it: only one of the two may be on the
        /// disk.
        func readRecord(
            named name: String,
            in directory: Directory,
            currentBoot: BootIdentifier
        ) -> Record? {
            if let bytes = try? descriptor.attribute(Record.attributeName) {
                return Record(decoding: bytes)
            }
            guard let aside = try? directory.open(name + ".record", .read),
                let bytes = try? aside.readToEnd(limit: 1 << 20),
                let record = Record(decoding: bytes), record.bootIdentifier == currentBoot
            else { return nil }
            return record
        }

        /// Replaces the record by another about the same bytes.
        func store(
            _ record: Record,
            named name: String,
            in directory: Directory
        ) throws(TransferError) {
            let bytes = try record.encoded()
            do {
                if try !Self.storeAttribute(bytes, on: descriptor) {
                    try Self.storeAside(bytes, named: name, in: directory)
                }
            } catch {
                throw TransferError(error, during: .write)
            }
        }

        /// Removes the record; a record that cannot be removed does not harm the reader of the file.
        ///
        /// - Returns: Whether it was an attribute.
        @discardableResult
        func removeRecord() -> Bool {
            (try? descriptor.removeAttribute(Record.attributeName)) == true
        }

        /// - Returns: Whether the file system could take it.
        private static func storeAttribute(
            _ bytes: [UInt8],
            on file: borrowing FileDescriptor
        ) throws(SystemCallError) -> Bool {
            do throws(SystemCallError) {
                try file.setAttribute(Record.attributeName, bytes)
                return true
            } catch let error where attributeRefusals.contains(error.errno) {
                return false
            }
        }

        /// No attributes at all, an attribute too long for this file system (which ext4 reports as a full
        /// disk), or a mount without attributes.
        private static let attributeRefusals: Set = [ENOTSUP, E2BIG, ERANGE, ENOSPC, EPERM, ENOSYS]

        private static func storeAside(
            _ bytes: [UInt8],
            named name: String,
            in directory: Directory
        ) throws(SystemCallError) {
            let temporaryName = name + ".record.new"
            try directory.remove(temporaryName)
            let file = try directory.open(temporaryName, .createNew)
            let result = bytes.withUnsafeBytes { raw in
                Result { () throws(SystemCallError) in try file.writeAll(raw) }
            }
            try result.get()
            try directory.rename(
                temporaryName,
                to: directory,
                as: name + ".record",
                replacing: true
            )
        }
    }
}
