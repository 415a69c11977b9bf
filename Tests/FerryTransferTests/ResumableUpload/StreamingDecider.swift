import FerryHTTP
import FerrySystem
import FerryTestSupport

@testable import FerryTransfer

/// Gives a body from wherever it is asked for, and only once.
@LoopActor
final class StreamingDecider: ForwardingDecider {
    private let content: FixtureContent
    private(set) var offsets: [Int64] = []
    var decider: (any LoadDecider)? { nil }

    init(_ content: FixtureContent) {
        self.content = content
    }

    /// A body that has no start to go back to, and no length.
    private final class Stream: HTTPBodySource {
        private let bytes: BytesBodySource<[UInt8]>

        init(_ bytes: [UInt8]) { self.bytes = BytesBodySource(bytes) }

        var byteCount: Int64? { nil }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> HTTPBodyReading {
            bytes.read(into: buffer)
        }

        func seek(to offset: Int64) -> Bool { false }
    }

    func loadNeedsBody(
        _ load: Load,
        from offset: Int64,
        then send: @escaping @LoopActor ((any HTTPBodySource)?) -> Void
    ) {
        offsets.append(offset)
        send(Stream(content.bytes(in: offset..<content.byteCount)))
    }

    func load(
        _ load: Load,
        mayRedirectTo request: TransferRequest,
        for head: HTTPResponseHead,
        then follow: @escaping @LoopActor (TransferRequest?) -> Void
    ) { follow(request) }
}
