// libcurl only carries a coded body. It brings a piece, which is decoded in steps and delivered step by step. If the exchange
// is paused in between, or has had its turn, libcurl is told to keep the piece, and brings it again: it begins with the same
// bytes then, and those that were decoded before are passed over. So nothing is lost, and nothing decoded piles up.

extension HTTPExchange {
    /// Makes what decodes the body; returns `false` if libcurl must fail.
    func makeDecoder() -> Bool {
        do throws(HTTPError) {
            decoder = try BodyDecoder(machine.codings)
            return true
        } catch {
            machine.decodingFailed(error)
            return false
        }
    }

    /// How far the body was decoded.
    var decodingProgress: DecodingProgress {
        guard let decoder else { return .complete }
        guard decoder.hasBegun else { return .nothing }
        return decoder.isComplete ? .complete : .begun
    }

    /// Decodes a piece of the body, and delivers what comes of it.
    func decode(_ piece: UnsafeRawBufferPointer) -> Acceptance {
        guard let decoder else { return .refused }
        var rest = UnsafeRawBufferPointer(rebasing: piece.dropFirst(decodedPieceByteCount))
        var left = rest.count
        decodedPieceByteCount = 0
        do throws(HTTPError) {
            while let step = try decoder.step(&rest) {
                takenBodyByteCount += Int64(left - rest.count)
                left = rest.count
                guard step.bytes.isEmpty || deliver(step.bytes) else { return .refused }
                let reception = machine.decoded(step.madeByteCount, delivered: step.bytes.count)
                // The end of a body that was delivered completely is told in a pause, too.
                if rest.isEmpty, decoder.isDry, reception == .hold { return .taken }
                switch reception {
                case .decode: continue
                case .skip: return .taken
                case .hold, .holdForATurn:
                    decodedPieceByteCount = piece.count - rest.count
                    return reception == .hold ? .held : holdForATurn()
                case .stop, .deliverHead, .deliverInformational, .deliverBytes: return .refused
                }
            }
            return .taken
        } catch {
            machine.decodingFailed(error)
            return .refused
        }
    }
}

/// How far a body was decoded.
enum DecodingProgress: Hashable {
    /// There was not a byte.
    case nothing
    /// The coding has begun, and not ended.
    case begun
    /// The coding has ended, or there is none.
    case complete
}
