import FerryHTTP
import FerrySystem

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
        hasBegun = true
        guard left > 0 else { return .end }
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
