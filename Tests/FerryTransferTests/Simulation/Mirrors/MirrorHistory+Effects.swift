import FerryHTTP
import FerrySystem

@testable import FerryTransfer

extension MirrorHistory {
    /// Takes an input, and performs what follows, as `Download` does.
    func run(_ piece: MirrorPiece? = nil, _ input: (inout Machine) -> Void) throws {
        input(&machine)
        guard machine.effects.begin() else { return }
        while let effect = machine.effects.next() {
            try mayDie()
            record("  \(effect)".prefix(160).description)
            do {
                try perform(effect, piece)
            } catch let error as TransferError {
                machine.fileFailed(error)
            }
        }
    }

    private func perform(_ effect: Machine.Effect, _ piece: MirrorPiece?) throws {
        switch effect {
        case .send(let next): try send(next)
        case .cancelLoads: try cancelLoads()
        case .takeBody: takesBody = true
        case .skipBody: takesBody = false
        case .compare(let byteCount, let offset):
            try compare(piece, byteCount, at: offset) {
                // What is at hand is a mirror's that differs elsewhere than in what it was asked to prove.
                isLossExcused = true
                machine.compareFailed()
            }
        case .write(let dropped): try write(piece, dropping: dropped)
        case .synchronize: pending.append(.synchronization)
        case .verify(let checks): pending.append(.verification(checks))
        case .askForConnection(let source): try askForConnection(to: source)
        case .giveConnectionBack(let source): try takeBack(source)
        case .startPart(let part, let next, let source): try start(part, next, of: source)
        case .startProbe(let part, let request, let range, _):
            try checkProbe(range)
            try open(request, as: part, range, for: .probe)
            flows[part]?.uncompared = range.byteCount
        case .compareProbe(let part, let byteCount, let offset):
            flows[part]?.uncompared -= Int64(byteCount)
            try compare(piece, byteCount, at: offset) {
                if sabotage == .takesMirrorsUnproved { return }
                self.count(.refutation)
                machine.probeDiffers(part, at: now)
            }
        case .cancelPart(let part): cancel(part)
        case .writePart(let part, let offset, let byteCount):
            try write(piece, byteCount, of: part, at: offset)
        case .beginFile, .continueFile, .discardFile, .beginSegments, .endSegments:
            try performOnFile(effect)
        case .recordDoubt(let answer): doubt = answer
        case .reportRestart: count(.restart)
        case .reportResponse, .reportResumption: break
        case .reportProgress(let received, _):
            guard received == file.byteCount else {
                throw Broken(description: "\(received) bytes are reported, of \(file.byteCount)")
            }
        case .finish(let result): self.result = result
        case .fail(let error):
            file.fruitlessResumptionCount = machine.fruitlessResumptionCount
            lastError = error
            try check(error)
        }
    }

    /// As long as the app's own place does what it should, no mirror spoils an attempt.
    private func check(_ error: TransferError) throws {
        if error.code == .internalFailure { throw Broken(description: "\(error)") }
        guard machine.isLedByOriginal, !isFailureExcused, error.code != .answerDoubted else {
            return
        }
        throw Broken(description: "it fails for a mirror: \(error)")
    }

    // MARK: The file

    private func performOnFile(_ effect: Machine.Effect) throws {
        switch effect {
        case .beginFile(let version):
            try checkLoss()
            file.begin(version)
        case .discardFile:
            try checkLoss()
            file.remove()
        case .continueFile(let version):
            if version.isRefuted { try checkLoss() }
            file.resume(version)
        case .beginSegments: file.beginSegments()
        case .endSegments:
            guard file.written.gaps(upTo: machine.totalByteCount ?? 0).isEmpty else {
                throw Broken(description: "the file is said to be complete and is not")
            }
            file.endSegments()
        default: break
        }
    }

    /// Bytes that can be continued are given up only for what their own server has answered.
    private func checkLoss() throws {
        // As many are not worth a question.
        guard file.byteCount >= Sources.probedByteCount, file.version?.validator != nil,
            !isLossExcused, file.version?.isRefuted == false
        else { return }
        throw Broken(description: "\(file.byteCount) bytes are given up")
    }

    private func compare(
        _ piece: MirrorPiece?,
        _ byteCount: Int,
        at offset: Int64,
        otherwise differs: () throws -> Void
    ) throws {
        guard let piece else { return }
        let range = offset..<offset + Int64(byteCount)
        used += range.byteCount
        guard file.written.contains(range) else {
            throw Broken(description: "bytes \(range) are compared and not there")
        }
        let isSame =
            piece.range.lowerBound == offset
            && file.pieces(in: range).allSatisfy {
                $0.content.isSame(as: piece.content, in: $0.range)
            }
        if !isSame { try differs() }
    }

    private func checkProbe(_ range: Range<Int64>) throws {
        guard range.byteCount <= Sources.probedByteCount, file.written.contains(range) else {
            throw Broken(description: "bytes \(range) are asked for to be compared")
        }
    }

    /// Writes what the disk takes of a piece.
    private func store(
        _ piece: MirrorPiece,
        dropping dropped: Int64,
        _ byteCount: Int64,
        at offset: Int64
    ) throws -> (count: Int64, error: TransferError?) {
        let isFull = !isCalm && generator.below(1000) < 2
        let count = isFull ? Int64(generator.below(Int(byteCount) + 1)) : byteCount
        let range = offset..<offset + count
        guard piece.range.lowerBound + dropped == offset || count == 0 else {
            throw Broken(description: "bytes \(piece.range) are written at \(offset)")
        }
        guard file.written.gaps(upTo: range.upperBound).contains(range) else {
            throw Broken(description: "bytes \(range) are written twice")
        }
        if let first = file.pieces.first, first.content.version != piece.content.version {
            throw Broken(description: "\(first.content) is mixed with \(piece.content)")
        }
        if count > 0 { file.write(range, of: piece.content) }
        guard isFull else { return (count, nil) }
        self.count(.fullDisk)
        isFailureExcused = true
        return (count, TransferError(code: .diskFull, message: "simulated"))
    }

    private func write(_ piece: MirrorPiece?, dropping dropped: Int) throws {
        guard let piece else { return }
        let dropped = Int64(dropped)
        let count = piece.range.byteCount - dropped
        used += count
        let stored = try store(piece, dropping: dropped, count, at: file.byteCount)
        machine.wrote(count: Int(stored.count), failure: stored.error)
    }

    private func write(
        _ piece: MirrorPiece?,
        _ count: Int,
        of part: Int,
        at offset: Int64
    ) throws {
        guard let piece else { return }
        if part > 0, flows[part]?.follows == true { self.count(.mirrorPart) }
        used += Int64(count)
        let place = sabotage == .misplacesParts && part > 0 ? offset + 1 : offset
        let stored = try store(piece, dropping: 0, Int64(count), at: place)
        machine.wrotePart(part, count: Int(stored.count), failure: stored.error, at: now)
    }

    // MARK: Connections

    private func send(_ next: Machine.Request) throws {
        if flows[0] != nil { throw Broken(description: "two requests at once") }
        if next.transfer.url != places[0].url {
            count(next.resumption == nil ? .mirrorLead : .continuedByMirror)
        }
        takesBody = false
        // As far as a server is concerned a request for the rest ends with the resource.
        let range = next.resumption.map { $0.gap ?? $0.offset..<Int64(1) << 40 }
        let condition = next.resumption?.fields.first { $0.isNamed("If-Range") }?.value
        try open(next.transfer, as: 0, range, for: .lead(condition: condition))
    }

    private func start(_ part: Int, _ next: Machine.Request, of source: Int) throws {
        guard let resumption = next.resumption else {
            throw Broken(description: "a part is asked for that is none")
        }
        let follows = source > 0
        try open(
            next.transfer,
            as: part,
            resumption.gap,
            for: .part(resumption),
            follows: follows
        )
        watchForStalls()
    }

    private func cancelLoads() throws {
        cancelLoad()
        for part in flows.keys.sorted() { cancel(part) }
        for (source, origins) in lentTo.sorted(by: { $0.key < $1.key }) {
            for _ in origins { try takeBack(source) }
        }
    }

    private func cancelLoad() {
        flows[0] = nil
        takesBody = false
    }

    private func cancel(_ part: Int) {
        guard part != Machine.firstConnection else { return cancelLoad() }
        if sabotage == .keepsParts { return }
        flows[part] = nil
    }

    // MARK: The lender

    /// Who counts the connections to a source.
    private func origin(of source: Int) -> String {
        let url = machine.request(of: source).url
        return Origin(url: url)?.description ?? url
    }

    private func askForConnection(to source: Int) throws {
        let isGranted = generator.happens(80)
        count(isGranted ? .lentConnection : .refusedConnection)
        if isGranted {
            let origin = origin(of: source)
            lent[origin, default: 0] += 1
            lentTo[source, default: []].append(origin)
        }
        if !isGranted, sabotage == .overhearsRefusals { return }
        machine.connectionAnswered(isGranted, source: source, at: now)
    }

    /// As `Download` does: by the time it is given back, the request may go elsewhere.
    private func takeBack(_ source: Int) throws {
        if sabotage == .keepsConnections, generator.happens(10) { return }
        guard var origin = lentTo[source]?.popLast() else {
            throw Broken(description: "a connection to \(source) is given back that nobody has")
        }
        if sabotage == .givesBackElsewhere { origin = self.origin(of: 0) }
        guard let count = lent[origin] else {
            throw Broken(
                description: "\(origin) gets a connection back that nobody has, of \(lent)"
            )
        }
        lent[origin] = count > 1 ? count - 1 : nil
    }
}
