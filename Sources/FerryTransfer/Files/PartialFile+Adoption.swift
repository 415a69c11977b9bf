package import FerrySystem
import Glibc

extension PartialFile {
    /// Moves the partial file that resume data names to its new owner, which uses up the resume data.
    ///
    /// Pass ``ResumeData/checkpoint`` on to the ``Download`` of the file. Bytes that can no longer be proved,
    /// such as those lost in a power failure, are not an error: the download then starts over.
    ///
    /// A process that dies midway leaves the whole file at one of the two places; the same call finishes the
    /// work.
    ///
    /// - Parameters:
    ///   - resumeData: The resume data that the app kept.
    ///   - directory: The file's new directory.
    ///   - name: Its name there; a file of that name is replaced.
    ///   - queue: The queue on which to wait for the disk, and to copy if the file is on another one.
    /// - Returns: The file, to be recovered.
    /// - Throws: ``TransferError/Code/fileMissing`` when the file is gone or is no longer the one
    ///   that the resume data was made of.
    package static func adopt(
        _ resumeData: ResumeData,
        into directory: Directory,
        as name: String,
        on queue: BlockingQueue
    ) async throws(TransferError) -> PartialFile {
        try await queue.run { () throws(TransferError) in
            try Adoption(resumeData: resumeData, directory: directory, name: name).run()
        }
        return PartialFile(directory: directory, name: name)
    }

    /// The blocking part of taking over a file.
    private struct Adoption: Sendable {
        let resumeData: ResumeData
        let directory: Directory
        let name: String

        func run() throws(TransferError) {
            do throws(TransferError) {
                try take()
            } catch  where error.code == .fileMissing {
                // An earlier run may have come this far before its process died.
                guard try isTaken() else { throw error }
            }
            try directory.synchronizeForTransfer()
        }

        private func isTaken() throws(TransferError) -> Bool {
            guard let file = try OpenFile(existing: name, in: directory) else { return false }
            return isExpected(file.readRecord(named: name, in: directory, currentBoot: .current))
        }

        private func isExpected(_ record: Record?) -> Bool {
            record?.generation == resumeData.checkpoint.generation
        }

        private func take() throws(TransferError) {
            let (sourceDirectory, sourceName) = try source()
            guard let file = try OpenFile(existing: sourceName, in: sourceDirectory) else {
                throw missing("No such file or directory")
            }
            // A record beside the file moves first.
            let record =
                file.readRecord(named: sourceName, in: sourceDirectory, currentBoot: .current)
                ?? file.readRecord(named: name, in: directory, currentBoot: .current)
            guard let record, isExpected(record) else {
                throw missing("it is not the file that the resume data was made of")
            }
            do {
                try rename(sourceName, in: sourceDirectory)
            } catch let error where error.errno == EXDEV {
                try copy(file, record)
                try? sourceDirectory.remove(sourceName)
                try? sourceDirectory.remove(sourceName + ".record")
            } catch {
                throw TransferError(error, during: .open)
            }
        }

        private func source() throws(TransferError) -> (Directory, String) {
            let path = resumeData.path
            guard let slash = path.lastIndex(of: "/") else { throw missing("its path is relative") }
            let parent = slash == path.startIndex ? "/" : String(path[..<slash])
            do {
                return (try Directory(opening: parent), String(path[path.index(after: slash)...]))
            } catch {
                throw TransferError(error, during: .open)
            }
        }

        private func rename(
            _ sourceName: String,
            in source: Directory
        ) throws(SystemCallError) {
            // A record without its file is harmless; a file without its record is lost.
            if try source.status(of: sourceName + ".record") != nil {
                try source.rename(
                    sourceName + ".record",
                    to: directory,
                    as: name + ".record",
                    replacing: true
                )
            }
            try source.rename(sourceName, to: directory, as: name, replacing: true)
        }

        private func copy(_ file: OpenFile, _ record: Record) throws(TransferError) {
            let size = try file.size()
            let trusted = record.trustedBytes(
                currentBoot: .current,
                fileSize: size,
                table: file.readTable(of: record, size: size),
                checkpoint: resumeData.checkpoint
            )
            var copied = record
            copied.bootIdentifier = .current
            copied.hasTable = trusted.prefixByteCount == trusted.byteCount ? nil : true
            let target = try OpenFile(creating: name, in: directory)
            do throws(TransferError) {
                try target.store(copied, named: name, in: directory)
                for range in trusted.ranges { try target.copy(range, from: file) }
                if trusted.prefixByteCount != trusted.byteCount {
                    let table = SegmentTable(
                        generation: record.generation,
                        totalByteCount: record.version.totalByteCount ?? trusted.upperBound,
                        written: trusted
                    )
                    try target.store(table, padded: true)
                }
                try target.synchronize(withRecord: true)
                try directory.synchronizeForTransfer()
            } catch {
                // The original is still there; a part of it would only fill the disk.
                for suffix in [""] + PartialFile.companionSuffixes {
                    try? directory.remove(name + suffix)
                }
                throw error
            }
        }

        private func missing(_ reason: String) -> TransferError {
            TransferError(code: .fileMissing, message: "\(resumeData.path): \(reason)")
        }
    }
}

extension PartialFile.OpenFile {
    /// Copies bytes of another file to the same place in this one.
    func copy(
        _ range: Range<Int64>,
        from source: PartialFile.OpenFile
    ) throws(TransferError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { buffer.deallocate() }
        var offset = range.lowerBound
        while offset < range.upperBound {
            let wanted = Int(min(range.upperBound - offset, Int64(buffer.count)))
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
            var rest = UnsafeRawBufferPointer(part)[..<(try source.read(into: part, at: offset))]
            while !rest.isEmpty {
                let written = try write(UnsafeRawBufferPointer(rebasing: rest), at: offset)
                rest = rest.dropFirst(written)
                offset += Int64(written)
            }
        }
    }
}
