package import FerrySystem
import Synchronization

extension PartialFile {
    /// A copy of a file in progress, which is abandoned when it takes too long.
    ///
    /// The file must be complete. Where the file system allows it, both share their content until one is
    /// changed.
    package final class Copying: Sendable {
        private enum State {
            case underWay
            case made
            case abandoned
        }

        private let byteCount: Int64
        private let greatestByteCount: Int64
        private let state = Mutex(State.underWay)

        /// Prepares a copy.
        ///
        /// - Parameters:
        ///   - byteCount: The number of bytes in the file.
        ///   - greatestByteCount: The maximum number of bytes if the file system cannot share them.
        package init(byteCount: Int64, greatestByteCount: Int64) {
            self.byteCount = byteCount
            self.greatestByteCount = greatestByteCount
        }

        /// Abandons the copy, unless it is made: from now on the file may change.
        package func abandon() {
            state.withLock { if $0 == .underWay { $0 = .abandoned } }
        }

        /// Makes the copy, which is on the disk when this returns.
        ///
        /// - Parameters:
        ///   - source: The file.
        ///   - target: The copy; a file of that name is replaced. Nothing may be loaded into it meanwhile.
        ///   - queue: The queue on which to copy and to wait for the disk.
        /// - Returns: Whether the copy was made; not if the file is too large.
        /// - Throws: ``TransferError``, ``TransferError/Code/fileMissing`` when the file is missing or
        ///   incomplete, ``TransferError/Code/cancelled`` when the copy was abandoned. Nothing of the copy is
        ///   left then.
        @LoopActor
        package func run(
            from source: PartialFile,
            to target: PartialFile,
            on queue: BlockingQueue
        ) async throws(TransferError) -> Bool {
            let (source, target) = (
                Place(directory: source.directory, name: source.name),
                Place(directory: target.directory, name: target.name)
            )
            return try await queue.run { () throws(TransferError) in
                try self.run(from: source, to: target)
            }
        }

        // MARK: - Off the loop

        private struct Place: Sendable {
            var directory: Directory
            var name: String
        }

        private func run(from source: Place, to target: Place) throws(TransferError) -> Bool {
            try requireUse()
            guard let file = try OpenFile(existing: source.name, in: source.directory),
                try file.size() == byteCount
            else {
                throw TransferError(
                    code: .fileMissing,
                    message: "\(source.directory.path(of: source.name)) is not complete"
                )
            }
            let record = file.readRecord(
                named: source.name,
                in: source.directory,
                currentBoot: .current
            )
            let copy = try OpenFile(creating: target.name, in: target.directory)
            do throws(TransferError) {
                if let record { try copy.store(record, named: target.name, in: target.directory) }
                let isFilled = try fill(copy, from: file, in: target.directory)
                if isFilled {
                    try copy.synchronize(withRecord: true)
                    try target.directory.synchronizeForTransfer()
                    try complete()
                } else {
                    remove(target)
                }
                return isFilled
            } catch {
                remove(target)
                throw error
            }
        }

        private func fill(
            _ copy: OpenFile,
            from file: OpenFile,
            in directory: Directory
        ) throws(TransferError) -> Bool {
            if copy.share(file) { return true }
            guard byteCount <= greatestByteCount else { return false }
            if let room = try? directory.availableByteCount(), room < byteCount {
                throw TransferError(
                    code: .diskFull,
                    message:
                        "\(directory.path) has room for \(room) bytes, and \(byteCount) are needed"
                )
            }
            let step: Int64 = 4 << 20
            for start in stride(from: 0, to: byteCount, by: Int(step)) {
                try requireUse()
                try copy.copy(start..<min(start + step, byteCount), from: file)
            }
            return true
        }

        private func remove(_ target: Place) {
            for suffix in PartialFile.suffixesToRemove {
                try? target.directory.remove(target.name + suffix)
            }
        }

        /// Throws if the copy is no longer wanted.
        private func requireUse() throws(TransferError) {
            if state.withLock({ $0 == .abandoned }) { throw isAbandoned }
        }

        /// Marks the copy as made, unless it was abandoned and the file may have changed.
        private func complete() throws(TransferError) {
            let isMade = state.withLock { state in
                if state == .underWay { state = .made }
                return state == .made
            }
            if !isMade { throw isAbandoned }
        }

        private var isAbandoned: TransferError {
            TransferError(code: .cancelled, message: "the copy was given up")
        }
    }
}
