package import FerryHTTP
package import FerrySystem

extension Download {
    /// A piece of a body that has just arrived.
    enum Piece {
        /// In this process's memory, for the duration of a call.
        case memory(UnsafeRawBufferPointer)
        /// In the kernel's memory.
        case pipe(SplicePipe)

        /// The number of its bytes.
        var count: Int {
            switch self {
            case .memory(let bytes): bytes.count
            case .pipe(let pipe): pipe.count
            }
        }

        /// Returns the first bytes, if they are in memory.
        func prefix(_ count: Int) -> Slice<UnsafeRawBufferPointer>? {
            switch self {
            case .memory(let bytes): bytes.prefix(count)
            case .pipe: nil
            }
        }

        /// Writes the first bytes of the piece to a file at an offset.
        @LoopActor
        func write(
            _ count: Int,
            to file: PartialFile,
            at offset: Int64
        ) throws(TransferError) {
            switch self {
            case .memory(let bytes):
                let first = UnsafeRawBufferPointer(rebasing: bytes.prefix(count))
                try file.write(first, at: offset)
            case .pipe(let pipe):
                try file.write(pipe, count: count, at: offset)
            }
        }

        /// Appends the piece to a file, without the given number of first bytes.
        @LoopActor
        func write(to file: PartialFile, dropping count: Int) throws(TransferError) {
            switch self {
            case .memory(let bytes):
                try file.write(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(count)))
            case .pipe(let pipe):
                guard count == 0 else {
                    let message = "bytes to leave out in a pipe"
                    throw TransferError(code: .internalFailure, message: message)
                }
                try file.write(pipe)
            }
        }
    }
}

/// Receives the response to the request that is not for a part.
extension Download: LoadReceiver {
    package func load(
        _ load: Load,
        didReceive head: HTTPResponseHead,
        to request: TransferRequest
    ) -> HTTPBodyDisposition {
        guard isCurrent(load) else { return .cancel }
        provenLoad = load
        run { $0.receivedHead(head, to: request, now: .now, at: EventLoop.now) }
        return disposition
    }

    package func load(
        _ load: Load,
        didReceive bytes: UnsafeRawBufferPointer
    ) -> HTTPBodyDisposition {
        receive(.memory(bytes), from: load)
    }

    package func load(_ load: Load, didReceive pipe: SplicePipe) -> HTTPBodyDisposition {
        receive(.pipe(pipe), from: load)
    }

    private func isCurrent(_ load: Load) -> Bool { source?.owns(load) == true }

    private func receive(_ piece: Piece, from load: Load) -> HTTPBodyDisposition {
        guard isCurrent(load) else { return .cancel }
        codedProgress = load.codedProgress
        run(with: piece) { $0.receivedBytes(count: piece.count) }
        guard isCurrent(load) else { return .cancel }
        guard disposition == .deliver, machine.acceptsPipes else { return disposition }
        return .deliverInPipes
    }

    package func load(_ load: Load, didFinishWith error: TransferError?) {
        guard isCurrent(load) else { return }
        source = nil
        run { $0.loadFinished(error, at: EventLoop.now) }
    }
}
