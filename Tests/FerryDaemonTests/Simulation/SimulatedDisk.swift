import FerryStore
import FerrySystem

@testable import FerryTransfer

/// The files of downloads, and what a power cut makes of them.
struct SimulatedDisk {
    /// Bytes that follow one another and are of one version of a resource.
    struct Piece: Equatable {
        /// The version; 0 for bytes that nobody wrote.
        var version: Int
        var count: Int64
    }

    /// A file, with its record unless one write has completed it.
    struct File {
        var record: PartialFile.Record
        /// Whether the file has the record, or only the process that writes it.
        var isRecorded = true
        var pieces: [Piece] = []
        /// How many bytes are on the medium.
        var synchronizedCount: Int64 = 0
        /// Whether it has bytes from before a power cut.
        var hasOutlivedPowerCut = false
        /// The resume data that it was taken over with.
        var origin: TaskID?
        /// The file that has the name after a power cut, until the new one is on the medium.
        var previous: [File] = []

        var count: Int64 { pieces.reduce(0) { $0 + $1.count } }

        mutating func append(_ count: Int64, of version: Int) {
            let isWhole = pieces.isEmpty && count == record.version.totalByteCount
            isRecorded = !isWhole || count > 16 << 10
            if pieces.last?.version == version {
                pieces[pieces.count - 1].count += count
            } else if count > 0 {
                pieces.append(Piece(version: version, count: count))
            }
        }

        mutating func truncate(to size: Int64) {
            var left = size
            pieces = pieces.compactMap { piece in
                let kept = min(piece.count, left)
                left -= kept
                return kept > 0 ? Piece(version: piece.version, count: kept) : nil
            }
            synchronizedCount = min(synchronizedCount, size)
        }

        /// What is there after a power cut: what was waited for, and perhaps more that may be
        /// anything.
        mutating func cutPower(using random: inout SeededRandom) {
            hasOutlivedPowerCut = count > 0
            let known = synchronizedCount
            let size = known + Int64(random.number(below: Int(count - known) + 1))
            truncate(to: random.happens(percent: 50) ? known : size)
            append(size - count, of: 0)
        }
    }

    /// The files of tasks.
    var downloads: [TaskID: File] = [:]
    /// The versions of the files that are copied for uploads; a copy is on the medium before anybody hears
    /// of it.
    var copies: [TaskID: Int64] = [:]
    /// The files that resume data stands for, by the task that has loaded them.
    var resumable: [TaskID: File] = [:]
    /// The generations of files whose process died before they had a record.
    private var unknown: Set<UInt64> = []
    private var nextGeneration: UInt64 = 1
    private var bootNumber = 1
    /// The tasks that have taken over what resume data stands for.
    private var owners: [TaskID: TaskID] = [:]

    var boot: BootIdentifier { BootIdentifier(rawValue: "boot \(bootNumber)") }

    /// Begins a file in place of another.
    mutating func begin(_ task: TaskID, _ version: ResourceVersion) {
        let record = PartialFile.Record(
            generation: nextGeneration,
            version: version,
            bootIdentifier: boot
        )
        nextGeneration += 1
        var file = File(record: record)
        file.previous = downloads[task].map { [$0] } ?? []
        downloads[task] = file
    }

    /// Gives up the bytes of a file that nothing proves.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - checkpoint: What the store knows of the file.
    ///   - trustsLength: Whether the file's length is believed in any case.
    /// - Returns: What is known of the bytes that are left.
    mutating func recover(
        _ task: TaskID,
        _ checkpoint: Checkpoint?,
        trustsLength: Bool
    ) -> Checkpoint? {
        guard var file = downloads[task], !unknown.contains(file.record.generation) else {
            return nil
        }
        file.isRecorded = true
        let trusted =
            trustsLength
            ? file.count
            : file.record.trustedBytes(
                currentBoot: boot,
                fileSize: file.count,
                table: nil,
                checkpoint: checkpoint
            ).byteCount
        guard trusted > 0 else { return nil }
        file.truncate(to: trusted)
        file.record.bootIdentifier = boot
        downloads[task] = file
        return self.checkpoint(of: task)
    }

    func hasOutlivedPowerCut(_ task: TaskID) -> Bool {
        downloads[task]?.hasOutlivedPowerCut ?? false
    }

    func checkpoint(of task: TaskID) -> Checkpoint? {
        guard let file = downloads[task] else { return nil }
        return Checkpoint(
            generation: file.record.generation,
            version: file.record.version,
            synchronizedByteCount: file.synchronizedCount,
            writtenByteCount: file.count,
            bootIdentifier: file.record.bootIdentifier
        )
    }

    mutating func synchronize(_ task: TaskID, _ count: Int64, generation: UInt64) {
        guard var file = downloads[task], file.record.generation == generation else { return }
        file.synchronizedCount = max(file.synchronizedCount, min(count, file.count))
        file.previous = []
        downloads[task] = file
    }

    // MARK: Resume data

    /// Puts a partial file where its resume data finds it, unless that was done before.
    mutating func makeResumable(_ task: TaskID) {
        if let file = downloads.removeValue(forKey: task) { resumable[task] = file }
    }

    /// Takes the partial file of resume data, unless that was done before; `nil` when it is gone.
    mutating func adopt(_ number: TaskID, for task: TaskID) -> Checkpoint? {
        if var file = resumable.removeValue(forKey: number) {
            file.origin = number
            // The directory is synchronised, with all names in it.
            file.previous = []
            downloads[task] = file
            owners[number] = task
        }
        return downloads[task]?.origin == number ? checkpoint(of: task) : nil
    }

    /// Whether nobody has taken what resume data stands for, and it is not there either.
    func lacks(_ number: TaskID, for task: TaskID? = nil) -> Bool {
        resumable[number] == nil && (owners[number] == nil || owners[number] == task)
    }

    /// Forgets what only the process knew of its files.
    mutating func loseProcess() {
        unknown.formUnion(
            downloads.values.filter { !$0.isRecorded }.map(\.record.generation)
        )
    }

    mutating func cutPower(using random: inout SeededRandom) {
        bootNumber += 1
        for task in downloads.keys.sorted() {
            guard var file = downloads[task] else { continue }
            if let previous = file.previous.first, random.happens(percent: 50) { file = previous }
            file.previous = []
            file.cutPower(using: &random)
            downloads[task] = file
        }
        for number in resumable.keys.sorted() { resumable[number]?.cutPower(using: &random) }
    }
}
