import CCurl

/// Small pieces of one body, which are delivered as one.
///
/// libcurl brings a body in pieces of at most 16 KiB, and what a piece costs on its way hardly depends on its size.
final class GatheredPieces {
    /// The size of the buffer, and of what is delivered at once.
    static let capacity = 256 << 10
    /// The size of the largest piece that libcurl brings.
    static let maximumPieceByteCount = Int(CURL_MAX_WRITE_SIZE)

    private let buffer: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init() { buffer = .allocate(byteCount: Self.capacity, alignment: 4096) }

    deinit { buffer.deallocate() }

    /// All pieces, one after the other.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[..<count]) }

    /// Adds a piece, which must not be larger than what is left.
    func append(_ piece: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: piece)
        count += piece.count
    }

    /// Forgets the pieces.
    func removeAll() { count = 0 }
}

// Pieces are gathered until libcurl returns, and delivered before anything else that it has reported. So nothing comes
// later than it would otherwise, and one buffer is enough for all exchanges of a client. An exchange that another one's
// handler has paused meanwhile keeps the buffer until it is resumed, and its end waits for that.

extension HTTPExchange {
    /// Takes a piece of the body from libcurl, and delivers it now or with those that follow.
    func took(_ piece: UnsafeRawBufferPointer) -> Acceptance {
        let arrived = machine.receivedByteCount + Int64((gathered?.count ?? 0) + piece.count)
        let isLast = arrived == easy?.bodyByteCount
        guard machine.gathersPieces, piece.count <= GatheredPieces.maximumPieceByteCount,
            gathered != nil || !isLast, let pieces = gathered ?? beginGathering()
        else {
            let acceptance = deliverGathered()
            return acceptance == .taken ? receivedBytes(piece) : acceptance
        }
        pieces.append(piece)
        return isLast || isFull(pieces) ? deliverGathered() : .taken
    }

    private func beginGathering() -> GatheredPieces? {
        // Otherwise libcurl would first bring everything that it can read.
        spliceIfWorthwhile()
        gathered = client?.multi.gather(for: self)
        return gathered
    }

    /// Whether another piece may be too much: for the buffer, or for a rate, at which the body would come in bursts.
    private func isFull(_ pieces: GatheredPieces) -> Bool {
        let limit = min(request.receiveBufferByteCount ?? .max, GatheredPieces.capacity)
        return pieces.count + GatheredPieces.maximumPieceByteCount > limit
    }

    /// Delivers the gathered pieces, if there are any; in a pause it keeps them.
    func deliverGathered() -> Acceptance {
        guard let pieces = gathered else { return .taken }
        let acceptance = receivedBytes(pieces.bytes)
        guard acceptance != .held else { return .held }
        pieces.removeAll()
        gathered = nil
        client?.multi.reuse(pieces, of: self)
        return acceptance
    }

    /// Delivers the gathered pieces after libcurl has returned, which can no longer be told to fail.
    ///
    /// - Returns: Whether they were taken.
    @discardableResult
    func flushGathered() -> Bool {
        let acceptance = deliverGathered()
        if acceptance == .refused { run { $0.endedOutsideLibrary(nil) } }
        return acceptance == .taken
    }

    /// Keeps the end of an exchange, which libcurl has released, until the gathered pieces are delivered; returns `false` if
    /// there are none.
    func keepsEnd(_ error: HTTPError?) -> Bool {
        guard gathered != nil, let client else { return false }
        keptEnd = .some(error)
        client.exchangesOutsideLibrary[ObjectIdentifier(self)] = self
        return true
    }
}
