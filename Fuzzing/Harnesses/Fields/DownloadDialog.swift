import FerrySystem

@testable import FerryHTTP
@testable import FerryTransfer

/// A download and the servers that it talks to, which may say anything.
struct DownloadDialog {
    private typealias Machine = Download.StateMachine

    /// A connection that a request is out on.
    private struct Connection {
        var request: TransferRequest
        var resumption: Resumption?
        var isProbe = false
        var hasAnswered = false
        var isBodyTaken = false
    }

    private var download: Download.StateMachine
    private let held: Download.StateMachine.Held?
    private var connections: [Int: Connection] = [:]
    /// Which bytes the file holds.
    private var written = ByteRanges()
    private var now = ContinuousClock.now
    private var hasFinished = false
    /// Whether there may be another connection.
    private let grants: Bool

    private static let date = HTTPDate(secondsSince1970: 1_000_000_000)

    /// Prepares a download.
    init(
        _ configuration: Download.Configuration,
        holding held: Download.StateMachine.Held?,
        grants: Bool
    ) {
        self.held = held
        self.grants = grants
        download = Machine(
            request: TransferRequest(url: "https://example.com/file"),
            configuration: configuration
        )
        written = held.map { $0.segments ?? ByteRanges([0..<$0.byteCount]) } ?? ByteRanges()
    }

    /// Begins.
    mutating func start() throws(Finding) {
        download.start(holding: held)
        try run()
    }

    /// Something happens: time passes (`later 3`), or, on the connection of a number, bytes come
    /// (`0 got 10`), its end does (`0 end`, `0 cut`), or a response (`0 206`, then its fields).
    mutating func hear(_ lines: [String]) throws(Finding) {
        let words = lines.first?.split(separator: " ").map { String($0) } ?? []
        guard words.count >= 2 else { return }
        if words[0] == "later", let seconds = UInt16(words[1]) {
            now += .seconds(Int(seconds))
            download.stallTimePassed(at: now)
            return try run()
        }
        let numbers = connections.keys.sorted()
        guard let choice = UInt8(words[0]), !numbers.isEmpty else { return }
        let number = numbers[Int(choice) % numbers.count]
        switch words[1] {
        case "end": try finish(number, nil)
        case "cut": try finish(number, TransferError(code: .connectionLost, message: ""))
        case "got": try receive(Int(words.count > 2 ? words[2] : "") ?? 1, by: number)
        default:
            guard let status = Int(words[1]), (200...999).contains(status) else { return }
            try respond(status, lines.dropFirst().compactMap { HTTPField(line: $0) }, by: number)
        }
    }

    /// The disk is lost, with which every download ends.
    mutating func end() throws(Finding) {
        download.fileFailed(TransferError(code: .diskFull, message: ""))
        try run()
        try expect(download.hasEnded && hasFinished, "it has not ended")
        try expect(connections.isEmpty, "connections go on: \(connections.keys.sorted())")
    }

    // MARK: - What comes

    private mutating func respond(
        _ status: Int,
        _ fields: [HTTPField],
        by number: Int
    ) throws(Finding) {
        guard let connection = connections[number], !connection.hasAnswered else { return }
        connections[number]?.hasAnswered = true
        let request = connection.request
        let head = HTTPResponseHead(status: status, fields: fields, url: request.url)
        if connection.isProbe {
            download.probeAnswered(number, head, at: now)
        } else if number == Machine.firstConnection {
            download.receivedHead(head, to: request, now: Self.date, at: now)
        } else if let resumption = connection.resumption {
            download.partAnswered(number, head, to: resumption, at: now)
        }
        try run()
    }

    private mutating func receive(_ count: Int, by number: Int) throws(Finding) {
        guard let connection = connections[number], connection.hasAnswered else { return }
        let count = min(max(1, count), 1 << 40)
        if connection.isProbe {
            download.probeReceivedBytes(number, count: count, at: now)
        } else if number != Machine.firstConnection {
            download.partReceivedBytes(number, count: count)
        } else if connection.isBodyTaken {
            download.receivedBytes(count: count)
        }
        try run(count)
        download.grow(at: now)
        try run()
    }

    private mutating func finish(_ number: Int, _ error: TransferError?) throws(Finding) {
        guard let connection = connections.removeValue(forKey: number) else { return }
        if connection.isProbe {
            download.probeFinished(number, at: now)
        } else if number == Machine.firstConnection {
            download.loadFinished(error, at: now)
        } else {
            download.partFinished(number, error, at: now)
        }
        try run()
    }

    // MARK: - What is done

    private mutating func run(_ count: Int = 0) throws(Finding) {
        guard download.effects.begin() else { return }
        while let effect = download.effects.next() {
            try expect(!hasFinished, "\(effect) comes after the end")
            try perform(effect, count)
        }
    }

    private mutating func perform(
        _ effect: Download.StateMachine.Effect,
        _ count: Int
    ) throws(Finding) {
        switch effect {
        case .send(let request):
            try connect(Machine.firstConnection, request.transfer, request.resumption)
        case .startPart(let number, let request, _):
            try connect(number, request.transfer, request.resumption)
        case .startProbe(let number, let request, let range, _):
            try expect(written.contains(range), "bytes \(range) are not there to be compared")
            connections[number] = Connection(request: request, isProbe: true)
        case .cancelLoads: connections = [:]
        case .cancelPart(let number): connections[number] = nil
        case .askForConnection(let source):
            download.connectionAnswered(grants, source: source, at: now)
        case .synchronize: download.synchronized()
        case .verify: download.verified(nil)
        case .compare(let count, let offset), .compareProbe(_, let count, let offset):
            let range = offset..<offset + Int64(count)
            try expect(written.contains(range), "bytes \(range) are compared and not there")
        case .reportProgress(let received, let total):
            try expect(
                (0...(total ?? .max)).contains(received),
                "\(received) of \(total, default: "")"
            )
        case .finish, .fail:
            try checkEnd(effect)
        case .beginFile, .discardFile, .write, .writePart:
            try performOnFile(effect, count)
        case .takeBody: connections[Machine.firstConnection]?.isBodyTaken = true
        case .skipBody, .continueFile, .beginSegments, .endSegments, .recordDoubt, .reportRestart,
            .reportResponse, .reportResumption, .giveConnectionBack:
            break
        }
    }

    private mutating func connect(
        _ number: Int,
        _ request: TransferRequest,
        _ resumption: Resumption?
    ) throws(Finding) {
        try expectSame(connections[number]?.request, nil, "what is asked by connection \(number)")
        connections[number] = Connection(request: request, resumption: resumption)
    }

    private mutating func performOnFile(
        _ effect: Download.StateMachine.Effect,
        _ count: Int
    ) throws(Finding) {
        switch effect {
        case .beginFile, .discardFile:
            written = ByteRanges()
        case .write(let dropped):
            try write(written.upperBound, count - dropped)
            download.wrote(count: count - dropped)
        case .writePart(let number, let offset, let count):
            try write(offset, count)
            download.wrotePart(number, count: count, at: now)
        default: break
        }
    }

    private mutating func write(_ offset: Int64, _ count: Int) throws(Finding) {
        try expect(count >= 0 && offset >= 0, "\(count) bytes are written at \(offset)")
        let range = offset..<offset + Int64(count)
        try expect(
            written.gaps(upTo: range.upperBound).contains(range),
            "bytes \(range) are written twice"
        )
        let total = download.totalByteCount ?? .max
        try expect(range.upperBound <= total, "bytes \(range) are written of \(total)")
        written.insert(range)
    }

    private mutating func checkEnd(_ effect: Download.StateMachine.Effect) throws(Finding) {
        hasFinished = true
        switch effect {
        case .fail(let error):
            try expect(error.code != .internalFailure, "\(error)")
        default:
            guard let total = download.totalByteCount else { return }
            let gaps = written.gaps(upTo: total)
            try expect(gaps.isEmpty, "\(gaps) of \(total) bytes are missing at the end")
        }
    }
}
