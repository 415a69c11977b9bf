import FerryTestSupport

/// SQLite's write-ahead log, by https://sqlite.org/fileformat2.html#walformat.
struct WriteAheadLog {
    /// The number of transactions in it.
    let commitCount: Int

    init(_ temporary: TemporaryDirectory) throws {
        let log = try temporary.contents(of: "ferry.sqlite-wal")
        func integer(at offset: Int) -> Int {
            log[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        guard log.count >= 32 else {
            commitCount = 0
            return
        }
        let pageSize = integer(at: 8)
        let salt = log[16..<24]
        var commits = 0
        var frame = 32
        // Frames of an earlier round of the log have other salts.
        while frame + 24 + pageSize <= log.count, log[frame + 8..<frame + 16].elementsEqual(salt) {
            if integer(at: frame + 4) != 0 { commits += 1 }
            frame += 24 + pageSize
        }
        commitCount = commits
    }
}
