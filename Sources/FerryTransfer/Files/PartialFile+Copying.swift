package import FerrySystem
import Synchronization

extension PartialFile {
    /// The making of another file of the same bytes, which is given up when it takes too long.
    ///
    /// For a file that is complete. Where the file system allows it, both share their content until one is changed.
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
        ///   - byteCount: How many bytes the file has.
        ///   - greatestByteCount: How many it has at most where the file system cannot have both share them.
        package init(byteCount: Int64, greatestByteCount: Int64) {
            self.byteCount = byteCount
            self.greatestByteCount = greatestByteCount
        }

        /// Gives the copy up, unless it is made: from now on the file may change.
        package func abandon() {
            state.withLock { if $0 == .underWay { $0 = .abandoned } }
        }

        /// Makes the copy, which is on the disk when this returns.
        ///
        /// - Parameters:
        ///   - source: The file.
        ///   - target: What the copy becomes; a file of that name is replaced. Nothing must be loaded into it meanwhile.
        ///   - queue: Where to copy and to wait for the disk.
        /// - Returns: Whether there is one; not where the file is too large.
        /// - Throws: ``TransferError``, ``TransferError/Code/fileMissing`` when the file is not there or not complete,
        ///   ``TransferError/Code/cancelled`` when the copy was given up. Nothing of it is left then.
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
            let copy = try OpenFile(creating: target.name, in: target.directory, record: record)
            do throws(TransferError) {
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

        /// Whether the copy is still wanted.
        private func requireUse() throws(TransferError) {
            if state.withLock({ $0 == .abandoned }) { throw isAbandoned }
        }

        /// The copy is made of what the file was, before anybody could change it.
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
