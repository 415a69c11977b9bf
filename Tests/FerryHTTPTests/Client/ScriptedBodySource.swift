import FerryHTTP
import FerrySystem

/// A body that comes in pieces, when a test says so.
@LoopActor final class ScriptedBodySource: HTTPBodySource {
    let byteCount: Int64?
    private let goesBack: Bool
    private var sent: [UInt8] = []
    private var readings: [HTTPBodyReading] = []
    private var pieces: [[UInt8]] = []
    private var continuation: (@LoopActor () -> Void)?
    private var hasEnded = false
    private var failure: String?
    /// How often nothing was there.
    private(set) var waitCount = 0

    init(byteCount: Int64? = nil, goesBack: Bool = false) {
        self.byteCount = byteCount
        self.goesBack = goesBack
    }

    func add(_ text: String) {
        pieces.append(Array(text.utf8))
        proceed()
    }

    func end() {
        hasEnded = true
        proceed()
    }

    func fail(_ message: String) {
        failure = message
        proceed()
    }

    private func proceed() {
        let continuation = continuation
        self.continuation = nil
        if let continuation { LoopActor.perform { continuation() } }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> HTTPBodyReading {
        guard let piece = pieces.first else {
            if let failure { return .failed(message: failure) }
            if hasEnded { return .end }
            waitCount += 1
            return .later
        }
        let part = piece.prefix(buffer.count)
        buffer.copyBytes(from: part)
        pieces[0] = Array(piece.dropFirst(part.count))
        if pieces[0].isEmpty { pieces.removeFirst() }
        sent += part
        return .bytes(count: part.count)
    }

    func seek(to offset: Int64) -> Bool {
        guard goesBack, offset == 0 else { return false }
        if !sent.isEmpty { pieces.insert(sent, at: 0) }
        sent = []
        return true
    }

    func whenReadable(_ continuation: @escaping @LoopActor () -> Void) {
        self.continuation = continuation
    }
}
