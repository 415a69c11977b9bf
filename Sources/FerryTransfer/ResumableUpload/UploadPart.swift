import FerryHTTP
import FerrySystem
import FoundationEssentials

/// A part of a body, as the body of a separate request.
///
/// It is read once: bytes that may have arrived are not sent again before the server was asked. libcurl would
/// do so if a reused connection turns out to be dead.
final class UploadPart: HTTPBodySource {
    let byteCount: Int64?
    private let source: any HTTPBodySource
    private var left: Int64
    private var hasBegun = false

    /// A part of a body that is already at the part's start.
    ///
    /// - Parameters:
    ///   - source: The body.
    ///   - byteCount: The part's length; `nil` for the rest of a body of unknown length.
    init(_ source: any HTTPBodySource, byteCount: Int64?) {
        self.source = source
        self.byteCount = byteCount
        left = byteCount ?? .max
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> HTTPBodyReading {
        guard left > 0 else {
            // A body of no bytes may turn out to have some, before its request is sent.
            return source.byteCount == 0 ? source.read(into: buffer) : .end
        }
        hasBegun = true
        let room = Int(min(Int64(buffer.count), left))
        let reading = source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]))
        if case .bytes(let count) = reading { left -= Int64(count) }
        return reading
    }

    func seek(to offset: Int64) -> Bool { offset == 0 && !hasBegun }

    func whenReadable(_ continuation: @escaping @LoopActor () -> Void) {
        source.whenReadable(continuation)
    }
}

/// Computes the hash of a part of a body, a piece per turn of the loop.
@LoopActor
final class UploadDigest {
    private let source: any HTTPBodySource
    private let start: Int64
    private var left: Int64
    private let hash: BodyHash
    /// The number of bytes that are read per turn of the loop.
    private static let pieceByteCount: Int64 = 64 << 10

    init(
        of source: any HTTPBodySource,
        from start: Int64,
        byteCount: Int64,
        _ checksum: TusChecksum
    ) {
        self.source = source
        self.start = start
        left = byteCount
        hash = BodyHash(checksum == .sha256 ? .sha256 : .sha1)
    }

    /// Reads the part.
    ///
    /// - Parameter handler: Called once with the hash in base64; with `nil` if the part cannot be read.
    func start(then handler: @escaping @LoopActor (String?) -> Void) {
        guard source.seek(to: start) else { return handler(nil) }
        readOn(handler)
    }

    private func readOn(_ handler: @escaping @LoopActor (String?) -> Void) {
        guard left > 0 else { return handler(hash.finish().map { Data($0).base64EncodedString() }) }
        switch readPiece() {
        case .bytes(let count):
            left -= Int64(count)
            LoopActor.perform { self.readOn(handler) }
        case .later:
            source.whenReadable { self.readOn(handler) }
        case .end, .failed:
            handler(nil)
        }
    }

    private func readPiece() -> HTTPBodyReading {
        let room = Int(min(left, Self.pieceByteCount))
        return withUnsafeTemporaryAllocation(byteCount: room, alignment: 1) { buffer in
            let reading = source.read(into: buffer)
            if case .bytes(let count) = reading {
                hash.add(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
            return reading
        }
    }
}
