package import FerryHTTP
package import FerrySystem

/// Receives the response to the request that is not for a part.
extension Download: LoadReceiver {
    package func load(
        _ load: Load,
        didReceive head: HTTPResponseHead,
        to request: TransferRequest
    ) -> HTTPBodyDisposition {
        guard isCurrent(load) else { return .cancel }
        provenLoad = load
        run(machine.receivedHead(head, to: request, now: .now, at: EventLoop.now))
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

    private func isCurrent(_ load: Load) -> Bool { source?.brings(load) == true }

    private func receive(_ piece: Piece, from load: Load) -> HTTPBodyDisposition {
        guard isCurrent(load) else { return .cancel }
        run(machine.receivedBytes(count: piece.count), piece: piece)
        guard isCurrent(load) else { return .cancel }
        guard disposition == .deliver, machine.acceptsPipes else { return disposition }
        return .deliverInPipes
    }

    package func load(_ load: Load, didFinishWith error: TransferError?) {
        guard isCurrent(load) else { return }
        source = nil
        run(machine.loadFinished(error, at: EventLoop.now))
    }
}
