import FerryHTTP
import FerrySystem

@testable import FerryTransfer

/// One download with everything that may happen to it, drawn by lot from a seed.
///
/// The machine and the partial file are the real ones; the network, the owner's database, the
/// disk under a power cut and the deaths of the process are not.
@LoopActor
final class SimulatedHistory {
    typealias Machine = Download.StateMachine

    /// Ends a life of the process.
    private struct Death: Error {}

    /// What must never be.
    struct Broken: Error, CustomStringConvertible {
        var description: String
    }

    /// What comes by one connection.
    private struct Flow {
        var request: Machine.Request
        /// `nil` once it has come, or when none comes.
        var head: HTTPResponseHead?
        var rest: ArraySlice<UInt8>
        var error: HTTPError?
        var takesBody = false
    }

    /// A mistake that is built in, to see that it is found.
    enum Sabotage {
        /// The file is not looked at before it is called complete.
        case trustsTheFile
    }

    private let sabotage: Sabotage?
    /// Whether another program meddles with the file.
    private let isMeddledWith: Bool
    private var generator: SeededGenerator
    private var server: SimulatedServer
    private let disk: SimulatedDisk
    private let synchronizer = FileSynchronizer(label: "simulation")
    /// What the owner has kept.
    private var checkpoint: Checkpoint?
    private var bootCount = 0
    private var isCalm = false

    private var file: PartialFile
    private var machine: Machine
    /// The connections, by the numbers of the parts that they bring.
    private var flows: [Int: Flow] = [:]
    private var lentCount = 0
    private var now = ContinuousClock.now
    private var result: DownloadResult?
    private(set) var resumptionCount = 0
    private(set) var deathCount = 0
    private(set) var partCount = 0
    /// How often another program has changed the file.
    private(set) var disturbanceCount = 0
    /// Whether it has changed what is being filled now.
    private var isDisturbed = false
    /// How often the file was not what it was taken for, or could not be written.
    private var fileFailureCount = 0

    init(seed: UInt64, in directory: Directory, sabotage: Sabotage? = nil) {
        self.sabotage = sabotage
        isMeddledWith = seed.isMultiple(of: 4)
        generator = SeededGenerator(seed: seed)
        server = SimulatedServer(using: &generator)
        disk = SimulatedDisk(directory)
        file = PartialFile(directory: directory, name: disk.name)
        machine = Self.machine(connections: 1)
    }

    private static func machine(connections: Int) -> Machine {
        Machine(
            request: TransferRequest(url: SimulatedServer.url),
            configuration: Download.Configuration(
                unavailableResponses: .fail,
                segments: .eager(connections, minimumSegmentBytes: 8)
            )
        )
    }

    /// Lives until the download has finished, in the end on a network that has calmed down.
    func run() async throws {
        for attempt in 0..<80 where result == nil {
            isCalm = attempt >= 60
            server.isCalm = isCalm
            do {
                try await live()
                if !isCalm, generator.happens(20) { continue }
                keepCheckpoint()
            } catch is Death {
                deathCount += 1
                file.forget()
                if generator.happens(40) {
                    try disk.powerCut(using: &generator)
                    bootCount += 1
                }
            }
        }
        guard let result else { throw Broken(description: "it never came to an end") }
        let content = try disk.directory.open(disk.name, .read).readToEnd(limit: 1 << 20)
        let isWhole = server.versions.contains(content)
        guard result.response.status < 300 ? isWhole : content == SimulatedServer.errorPage else {
            throw Broken(description: "what was delivered is no version of the resource")
        }
    }

    /// One attempt, from the opening of the file to its end or death.
    private func live() async throws {
        file = PartialFile(
            directory: disk.directory,
            name: disk.name,
            currentBoot: BootIdentifier(rawValue: "boot \(bootCount)")
        )
        machine = Self.machine(connections: 1 + generator.below(5))
        flows = [:]
        lentCount = 0
        let recovered = try file.recover(checkpoint: checkpoint)
        isDisturbed = false
        try checkBytes()
        disk.cut(to: file.written)
        let held = recovered.map {
            Machine.Held(
                byteCount: $0.writtenByteCount,
                version: $0.version,
                fruitlessResumptionCount: $0.fruitlessResumptionCount,
                segments: $0.segments?.written,
                // Enough time has passed, or not.
                agreed: isCalm || generator.happens(30) ? file.oddAnswer(atLeast: .zero) : nil
            )
        }
        try await perform { $0.start(holding: held) }
        while let next = flows.keys.sorted().randomElement(using: &generator) {
            try mayDie()
            try await step(next)
        }
        guard lentCount == 0 else { throw Broken(description: "\(lentCount) connections are left") }
    }

    /// Opens a connection for a request, through what redirects there are.
    private func open(_ next: Machine.Request, as number: Int) {
        if next.resumption != nil { resumptionCount += 1 }
        if number > 0 { partCount += 1 }
        var answer = server.answer(to: next, using: &generator)
        // A part is not asked for anywhere else.
        while number == 0, let redirected = redirected(next, by: answer) {
            answer = server.answer(to: redirected, using: &generator)
        }
        flows[number] = Flow(
            request: next,
            head: answer.head,
            rest: answer.body[...],
            error: answer.error
        )
    }

    /// Something happens on one of the connections.
    private func step(_ number: Int) async throws {
        guard let flow = flows[number] else { return }
        if let head = flow.head {
            flows[number]?.head = nil
            return try await answered(number, head, flow.request)
        }
        guard flow.takesBody, !flow.rest.isEmpty else {
            flows[number] = nil
            let error = flow.error.map { TransferError($0) }
            return try await perform {
                if number == 0 {
                    $0.loadFinished(error, at: now)
                } else {
                    $0.partFinished(number, error, at: now)
                }
            }
        }
        let piece = flow.rest.prefix(1 + generator.below(flow.rest.count))
        flows[number]?.rest.removeFirst(piece.count)
        try await perform(Array(piece)) {
            if number == 0 {
                $0.receivedBytes(count: piece.count)
            } else {
                $0.partReceivedBytes(number, count: piece.count)
            }
        }
        try checkBytes()
        try mayDie()
        now += .milliseconds(generator.below(30))
        try await perform { $0.grow(at: now) }
        if !isCalm, generator.happens(1) {
            now += .seconds(70)
            try await perform { $0.stallTimePassed(at: now) }
        }
        if !isCalm, generator.happens(2) {
            try await perform { $0.connectionRevoked(from: [0], at: now) }
        }
        if generator.happens(15) { try await onFile { try await self.synchronize() } }
    }

    private func answered(
        _ number: Int,
        _ head: HTTPResponseHead,
        _ request: Machine.Request
    ) async throws {
        guard number > 0, let resumption = request.resumption else {
            return try await perform { $0.receivedHead(head, to: request.transfer, now: .now) }
        }
        flows[number]?.takesBody = true
        try await perform { $0.partAnswered(number, head, to: resumption, at: now) }
    }

    /// What a load would ask for next, without the download's knowing.
    private func redirected(
        _ request: Machine.Request,
        by answer: SimulatedServer.Exchange
    ) -> Machine.Request? {
        guard let head = answer.head,
            case .follow(let transfer) = RedirectPolicy().decision(
                for: head,
                to: request.transfer,
                after: 0
            )
        else { return nil }
        var next = request
        next.transfer = transfer
        return next
    }

    /// Takes an input, and performs what follows, as `Download` does.
    private func perform(_ bytes: [UInt8] = [], _ input: (inout Machine) -> Void) async throws {
        input(&machine)
        guard machine.effects.begin() else { return }
        while let effect = machine.effects.next() {
            try mayDie()
            // What happens behind the last look at the file nobody sees.
            if case .finish = effect {} else { try mayMeddle() }
            if case .compare(let length, let offset) = effect {
                let isEqual = try await onFile {
                    try bytes.withUnsafeBytes { raw in
                        let proof = UnsafeRawBufferPointer(rebasing: raw.prefix(length))
                        return try self.file.holds(proof, at: offset)
                    }
                }
                if isEqual == false { machine.compareFailed() }
            } else {
                try await onFile { try await self.perform(effect, bytes) }
            }
        }
    }

    /// Does something with the file, of which the machine hears when it fails.
    @discardableResult
    private func onFile<Value>(
        _ body: @LoopActor () async throws -> Value
    ) async throws -> Value? {
        do {
            return try await body()
        } catch let error as TransferError where isMeddledWith {
            fileFailureCount += 1
            try await perform { $0.fileFailed(error) }
            return nil
        }
    }

    private func perform(_ effect: Machine.Effect, _ bytes: [UInt8]) async throws {
        switch effect {
        case .send(let next): open(next, as: 0)
        case .cancelLoads:
            flows = [:]
            lentCount = 0
        case .takeBody: flows[0]?.takesBody = true
        case .skipBody: flows[0]?.takesBody = false
        case .beginFile(let version):
            try disk.willBegin()
            try file.begin(version)
            disk.began()
            isDisturbed = false
        case .continueFile(let version): try file.resume(version)
        case .discardFile:
            try disk.willBegin()
            try file.remove()
            disk.began()
        case .write(let count):
            try file.write(Array(bytes.dropFirst(count)))
            machine.wrote(count: bytes.count - count)
        case .synchronize:
            try await synchronize()
            try confirm()
            machine.synchronized()
        case .verify(let checks):
            let mismatch = try await file.mismatch(with: checks)
            try confirm()
            machine.verified(mismatch)
        case .finish(let result): self.result = result
        case .beginSegments: try file.beginSegments()
        case .endSegments: try file.endSegments()
        case .askForConnection(let source):
            let isGranted = generator.happens(80)
            if isGranted { lentCount += 1 }
            machine.connectionAnswered(isGranted, source: source, at: now)
        case .giveConnectionBack: lentCount -= 1
        case .startPart(let number, let next, _): open(next, as: number)
        case .startProbe, .compareProbe: throw Broken(description: "there are no mirrors")
        case .cancelPart(let number): flows[number] = nil
        case .writePart(let number, let offset, let count):
            try file.write(Array(bytes.prefix(count)), at: offset)
            machine.wrotePart(number, count: count, at: now)
        case .compare, .reportRestart, .reportResponse, .reportResumption, .reportProgress: break
        case .recordDoubt(let answer): try? file.record(answer)
        case .fail: try? file.recordFruitlessResumptions(machine.fruitlessResumptionCount)
        }
    }

    /// Looks at the file before it is called complete.
    private func confirm() throws {
        try mayMeddle()
        if sabotage != .trustsTheFile { try file.requireIntact() }
    }

    private func synchronize() async throws {
        guard file.checkpoint != nil else { return }
        let error = await file.synchronize(by: synchronizer)
        if let error { throw error }
        try disk.synchronized(file.written)
        if generator.happens(70) { keepCheckpoint() }
    }

    private func keepCheckpoint() {
        checkpoint = file.checkpoint
    }

    private func mayDie() throws {
        if !isCalm, generator.happens(2) { throw Death() }
    }

    /// Another program may delete the file, cut it, or put its own in its place.
    private func mayMeddle() throws {
        guard isMeddledWith, !isCalm, result == nil, generator.happens(2),
            try disk.meddle(using: &generator)
        else { return }
        disturbanceCount += 1
        isDisturbed = true
    }

    /// Bytes that can be continued are the first of the version that their record names.
    private func checkBytes() throws {
        guard !isDisturbed, let kept = file.checkpoint, let validator = kept.validator else {
            return
        }
        let content = try disk.directory.open(disk.name, .read).readToEnd(limit: 1 << 20)
        let number: Int? =
            switch validator {
            case .strongETag(let tag): Int(tag.dropFirst().dropLast())
            case .lastModified(let date): Int(date.dropFirst(12).prefix(4)).map { $0 - 1000 }
            case .weak(""): server.versions.firstIndex { $0.starts(with: content) }.map { $0 + 1 }
            case .weak(let tag): Int(tag.dropFirst(3).dropLast())
            }
        guard let number else { throw Broken(description: "\(validator) is from nowhere") }
        let version = server.versions[number - 1]
        guard let segments = kept.segments else {
            guard content.count == Int(kept.writtenByteCount) else {
                throw Broken(description: "\(content.count) bytes, not \(kept.writtenByteCount)")
            }
            guard version.starts(with: content) else {
                throw Broken(description: "the bytes are not of version \(number)")
            }
            return
        }
        for range in segments.written.ranges {
            let bounds = Int(range.lowerBound)..<Int(range.upperBound)
            guard bounds.upperBound <= version.count, content[bounds] == version[bounds] else {
                throw Broken(description: "\(bounds) is not of version \(number)")
            }
        }
    }
}
