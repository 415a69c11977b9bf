import FerrySystem
import FerryTransfer

/// What servers keep of uploads that they have promised to continue.
struct SimulatedUploads {
    /// Bytes of a file that follow one another.
    struct Piece: Equatable {
        var file: UInt64
        /// The version of the file.
        var version: Int64
        var range: Range<Int64>
    }

    /// What is said to somebody who asks how far an upload has come.
    enum Position {
        case offset(Int64)
        /// It was complete, and its answer is gone.
        case complete
        case forgotten
    }

    /// What a server keeps of one upload.
    private struct Upload {
        var pieces: [Piece] = []
        /// How many bytes its client was told are there.
        var confirmedByteCount: Int64 = 0
        var isComplete = false
        /// Whether the server has given it up, or said of it what cannot be.
        var isLost = false

        var byteCount: Int64 { pieces.reduce(0) { $0 + Int64($1.range.count) } }
    }

    private var uploads: [String: Upload] = [:]

    /// Makes a place for an upload.
    ///
    /// - Returns: Its address.
    mutating func make(at host: Int) -> String {
        let url = "http://host\(host)/uploads/\(uploads.count + 1)"
        uploads[url] = Upload()
        return url
    }

    /// Whether an upload can be continued, or has come to its end.
    func isKept(_ url: String) -> Bool { uploads[url]?.isLost == false }

    /// What has come to an address.
    func pieces(at url: String) -> [Piece] { uploads[url]?.pieces ?? [] }

    /// Bytes have come.
    ///
    /// - Returns: Whether they follow what is there.
    mutating func receive(_ piece: Piece, at url: String) -> Bool {
        guard let upload = uploads[url], !upload.isLost, !upload.isComplete,
            upload.byteCount == piece.range.lowerBound
        else { return false }
        uploads[url]?.pieces.append(piece: piece)
        return true
    }

    /// Says how much has come.
    mutating func confirm(_ url: String) -> Int64 {
        let count = uploads[url]?.byteCount ?? 0
        uploads[url]?.confirmedByteCount = count
        return count
    }

    /// The last of the bytes has come.
    mutating func complete(_ url: String) { uploads[url]?.isComplete = true }

    /// Gives an upload up.
    mutating func lose(_ url: String) { uploads[url]?.isLost = true }

    /// A connection is cut: of what has come since the server has last spoken, the end may be lost.
    mutating func cut(_ url: String, using random: inout SeededRandom) {
        guard let upload = uploads[url], !upload.isComplete else { return }
        let known = upload.confirmedByteCount
        let kept = known + Int64(random.number(below: Int(upload.byteCount - known) + 1))
        uploads[url]?.pieces.truncate(to: kept)
    }

    /// Says how far an upload has come; a server may have less than it has said once.
    mutating func locate(_ url: String, losing: Bool, using random: inout SeededRandom) -> Position
    {
        guard let upload = uploads[url], !upload.isLost else { return .forgotten }
        if upload.isComplete { return .complete }
        if losing {
            let kept = Int64(random.number(below: Int(upload.byteCount) + 1))
            uploads[url]?.pieces.truncate(to: kept)
        }
        return .offset(confirm(url))
    }
}

extension [SimulatedUploads.Piece] {
    /// Appends bytes; those that follow what is there belong to it.
    mutating func append(piece: SimulatedUploads.Piece) {
        guard !piece.range.isEmpty else { return }
        if let last, last.file == piece.file, last.version == piece.version,
            last.range.upperBound == piece.range.lowerBound
        {
            self[count - 1].range = last.range.lowerBound..<piece.range.upperBound
        } else {
            append(piece)
        }
    }

    fileprivate mutating func truncate(to byteCount: Int64) {
        var left = byteCount
        self = compactMap { piece in
            let kept = Swift.min(Int64(piece.range.count), left)
            left -= kept
            let start = piece.range.lowerBound
            guard kept > 0 else { return nil }
            return SimulatedUploads.Piece(
                file: piece.file,
                version: piece.version,
                range: start..<start + kept
            )
        }
    }
}
