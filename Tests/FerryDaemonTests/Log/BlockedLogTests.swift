import FerryTestSupport
import FerryWire
import Testing

@testable import FerryDaemon

/// A log into a pipe that nobody reads.
@Suite(.timeLimit(.minutes(1))) struct BlockedLogTests {
    /// How many lines have room while nothing can be written.
    private static let room = 20
    private let pipe: FullPipe

    init() throws { pipe = try FullPipe() }

    @Test(arguments: [false, true])
    func `lines that find no room are dropped, and how many is said when there is room again`(
        isNonBlocking: Bool
    ) async throws {
        pipe.setNonBlocking(isNonBlocking)
        let destination = AnnouncingLog(StandardErrorLog(descriptor: pipe.writer))
        let log = log(destination)
        log.write(.info, "first")
        _ = await destination.hasBegun.value
        for number in 1...1000 { log.write(.info, number < 100 ? "0\(number)" : "\(number)") }
        #expect(await log.flush(within: .zero) == false)
        async let text = pipe.text(until: "last\n")
        #expect(await log.flush(within: .seconds(30)))
        log.write(.info, "last")
        let lines = try await text.split(separator: "\n").map { line in
            line.split(separator: " ", maxSplits: 2).dropFirst().joined(separator: " ")
        }
        #expect(lines.first == "info first")
        #expect(lines.last == "info last")
        let note = try #require(lines.dropLast().last)
        #expect(note.hasPrefix("warning lines that are missing here: \(1000 - Self.room);"))
        #expect(lines[1...].dropLast(2).map { Int($0.dropFirst(5)) } == Array(1...Self.room))
    }

    @Test func `the end waits for a blocked log, but not for long`() async {
        let log = log()
        log.write(.info, "first")
        let start = ContinuousClock.now
        #expect(await log.flush() == false)
        let duration = ContinuousClock.now - start
        #expect(duration >= .seconds(1))
        // The time that a busy machine may take on top.
        #expect(duration < .seconds(20))
        pipe.closeReader()
        #expect(await log.flush(within: .seconds(30)))
    }

    @Test func `a pipe whose reader has gone loses lines and blocks nothing`() async {
        pipe.closeReader()
        let log = log()
        for number in 1...100 { log.write(.info, "\(number)") }
        #expect(await log.flush(within: .seconds(30)))
    }

    private func log(_ destination: (any LogDestination)? = nil) -> Log {
        Log(
            destination: destination ?? StandardErrorLog(descriptor: pipe.writer),
            // What twenty lines of three characters take.
            maximumByteCount: Self.room * 67
        )
    }
}

/// A log that tells when its first line is about to be written.
private struct AnnouncingLog: LogDestination {
    let hasBegun = AsyncValue<Bool>()
    private let log: any LogDestination

    var description: Wire.Log { log.description }

    init(_ log: any LogDestination) { self.log = log }

    func write(_ line: LogLine) {
        hasBegun.set(true)
        log.write(line)
    }
}
