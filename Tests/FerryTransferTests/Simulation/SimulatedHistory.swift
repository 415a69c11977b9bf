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
    private var request: Machine.Request?
    private var takesBody = false
    private var isOpen = false
    private var result: DownloadResult?
    private(set) var resumptionCount = 0
    private(set) var deathCount = 0

    init(seed: UInt64, in directory: Directory) {
        generator = SeededGenerator(seed: seed)
        server = SimulatedServer(using: &generator)
        disk = SimulatedDisk(directory)
        file = PartialFile(directory: directory, name: disk.name)
        machine = Self.machine()
    }

    private static func machine() -> Machine {
        Machine(
            request: TransferRequest(url: SimulatedServer.url),
            configuration: Download.Configuration(unavailableResponses: .fail)
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
                file.close()
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
        machine = Self.machine()
        let recovered = try file.recover(checkpoint: checkpoint)
        try checkBytes()
        disk.cut(to: file.byteCount)
        let held = recovered.map {
            Machine.Held(
                byteCount: $0.writtenByteCount,
                version: $0.version,
                fruitlessResumptionCount: $0.fruitlessResumptionCount
            )
        }
        try await perform(machine.start(holding: held))
        while let next = request {
            request = nil
            if next.resumption != nil { resumptionCount += 1 }
            try await exchange(next)
        }
    }

    private func exchange(_ next: Machine.Request) async throws {
        try mayDie()
        let answer = server.answer(to: next, using: &generator)
        if let redirected = redirected(next, by: answer) { return try await exchange(redirected) }
        isOpen = true
        takesBody = false
        if let head = answer.head {
            try await perform(machine.receivedHead(head, to: next.transfer, now: .now))
            try mayDie()
            var rest = answer.body[...]
            while isOpen, takesBody, !rest.isEmpty {
                let piece = rest.prefix(1 + generator.below(rest.count))
                rest = rest.dropFirst(piece.count)
                try await perform(machine.receivedBytes(count: piece.count), Array(piece))
                try checkBytes()
                try mayDie()
                if generator.happens(15) { try await synchronize() }
            }
        }
        guard isOpen else { return }
        isOpen = false
        try await perform(machine.loadFinished(answer.error.map { TransferError($0) }))
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

    private func perform(_ effects: [Machine.Effect], _ bytes: [UInt8] = []) async throws {
        for effect in effects {
            try mayDie()
            switch effect {
            case .send(let next): request = next
            case .cancelLoad: isOpen = false
            case .takeBody: takesBody = true
            case .skipBody: takesBody = false
            case .beginFile(let version):
                try disk.willBegin()
                try file.begin(version)
                disk.began()
            case .continueFile(let version): try file.resume(version)
            case .discardFile:
                try disk.willBegin()
                try file.remove()
                disk.began()
            case .compare(let count, let offset):
                let isEqual = try bytes.withUnsafeBytes { raw in
                    try file.holds(UnsafeRawBufferPointer(rebasing: raw.prefix(count)), at: offset)
                }
                if !isEqual { return try await perform(machine.compareFailed()) }
            case .write(let count):
                try file.write(Array(bytes.dropFirst(count)))
                try await perform(machine.wrote(count: bytes.count - count))
            case .synchronize:
                try await synchronize()
                try await perform(machine.synchronized())
            case .verify(let checks):
                let mismatch = try await file.mismatch(with: checks)
                try await perform(machine.verified(mismatch))
            case .finish(let result): self.result = result
            case .reportRestart, .reportResponse, .reportResumption, .reportProgress: break
            case .fail: try file.noteFruitlessResumptions(machine.fruitlessResumptionCount)
            }
        }
    }

    private func synchronize() async throws {
        guard file.checkpoint != nil else { return }
        let error = await file.synchronize(by: synchronizer)
        if let error { throw error }
        disk.synchronized(file.byteCount)
        if generator.happens(70) { keepCheckpoint() }
    }

    private func keepCheckpoint() {
        checkpoint = file.checkpoint
    }

    private func mayDie() throws {
        if !isCalm, generator.happens(2) { throw Death() }
    }

    /// Bytes that can be continued are the first of the version that their record names.
    private func checkBytes() throws {
        guard let kept = file.checkpoint, let validator = kept.validator else { return }
        let number =
            switch validator {
            case .strongETag(let tag): Int(tag.dropFirst().dropLast())
            case .lastModified(let date): Int(date.dropFirst(12).prefix(4)).map { $0 - 1000 }
            }
        guard let number else { throw Broken(description: "\(validator) is from nowhere") }
        let content = try disk.directory.open(disk.name, .read).readToEnd(limit: 1 << 20)
        guard content.count == Int(kept.writtenByteCount) else {
            throw Broken(description: "\(content.count) bytes, not \(kept.writtenByteCount)")
        }
        guard server.versions[number - 1].starts(with: content) else {
            throw Broken(description: "the bytes are not of version \(number)")
        }
    }
}
