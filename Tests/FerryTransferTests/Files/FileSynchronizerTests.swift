import FerrySystem
import FerryTestSupport
import Glibc
import Synchronization
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct FileSynchronizerTests {
    private let temporary: TemporaryDirectory
    private let synchronizer = FileSynchronizer(label: "test")

    init() throws { temporary = try TemporaryDirectory() }

    private func request(
        _ recorder: Recorder<String>,
        _ name: String,
        anchor: Directory? = nil,
        failing failures: FailureSwitch = FailureSwitch(),
        behind gate: Gate? = nil,
        then completion: @escaping @LoopActor @Sendable () -> Void = {}
    ) -> FileSynchronizer.Request {
        FileSynchronizer.Request(
            force: { () throws(TransferError) in
                gate?.wait()
                recorder.append("force \(name)")
                try failures.check()
            },
            anchor: anchor,
            completion: { outcome in
                let isGood = if case .success = outcome { true } else { false }
                recorder.append("\(isGood ? "done" : "failed") \(name)")
                completion()
            }
        )
    }

    @Test func `files that wait together are forced first, and told of together`() async {
        let recorder = Recorder<String>()
        let gate = Gate()
        await withCheckedContinuation { continuation in
            submitAlone(recorder, "a", behind: gate)
            synchronizer.submit(request(recorder, "b", anchor: temporary.directory))
            synchronizer.submit(
                request(recorder, "c", anchor: temporary.directory) { continuation.resume() }
            )
            gate.open()
        }
        let order = recorder.elements
        #expect(order.filter { $0.hasPrefix("done") } == ["done a", "done b", "done c"])
        #expect(order.firstIndex(of: "force c") ?? 9 < order.firstIndex(of: "done b") ?? 0)
    }

    /// A request that opens a gate when it is being forced, and waits for another gate.
    private func request(
        _ recorder: Recorder<String>,
        _ name: String,
        opening opened: Gate,
        waitingFor awaited: Gate,
        then completion: @escaping @LoopActor @Sendable () -> Void = {}
    ) -> FileSynchronizer.Request {
        var request = request(recorder, name, behind: awaited, then: completion)
        request.force = { [force = request.force] () throws(TransferError) in
            opened.open()
            try force()
        }
        return request
    }

    /// Submits a request that is being forced when this returns, so that it takes no later one along.
    private func submitAlone(_ recorder: Recorder<String>, _ name: String, behind gate: Gate) {
        let begun = Gate()
        synchronizer.submit(request(recorder, name, opening: begun, waitingFor: gate))
        begun.wait()
    }

    @Test func `files that wait for a slow disk are forced at the same time`() async {
        let recorder = Recorder<String>()
        let (start, b, c, d) = (Gate(), Gate(), Gate(), Gate())
        await withCheckedContinuation { continuation in
            var slow = request(recorder, "a")
            slow.force = { [force = slow.force] () throws(TransferError) in
                try force()
                usleep(1_000)
            }
            submitAlone(recorder, "first", behind: start)
            synchronizer.submit(slow)
            // None of these can be forced before or after the others, only with them.
            synchronizer.submit(request(recorder, "b", opening: b, waitingFor: c))
            synchronizer.submit(request(recorder, "c", opening: c, waitingFor: d))
            synchronizer.submit(
                request(recorder, "d", opening: d, waitingFor: b) { continuation.resume() }
            )
            start.open()
        }
        #expect(
            recorder.elements.filter { $0.hasPrefix("done") }
                == ["first", "a", "b", "c", "d"].map { "done \($0)" }
        )
    }

    @Test func `one file's failure is none of the others'`() async {
        let recorder = Recorder<String>()
        let failures = FailureSwitch()
        failures.isFailing = true
        await withCheckedContinuation { continuation in
            synchronizer.submit(request(recorder, "bad", failing: failures))
            synchronizer.submit(request(recorder, "good") { continuation.resume() })
        }
        #expect(recorder.elements.filter { !$0.hasPrefix("force") } == ["failed bad", "done good"])
    }

    @Test func `a directory that cannot be forced fails the files that wait for it alone`()
        async throws
    {
        let recorder = Recorder<String>()
        let broken = try temporary.directory.openSubdirectory("broken")
        // A descriptor that cannot be forced in place of the directory's.
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        #expect(dup2(ends[0], broken.descriptor) == broken.descriptor)
        let gate = Gate()
        await withCheckedContinuation { continuation in
            submitAlone(recorder, "first", behind: gate)
            synchronizer.submit(request(recorder, "lost", anchor: broken))
            synchronizer.submit(
                request(recorder, "kept", anchor: temporary.directory) { continuation.resume() }
            )
            gate.open()
        }
        for end in ends { close(end) }
        #expect(
            recorder.elements.filter { !$0.hasPrefix("force") }
                == ["done first", "failed lost", "done kept"]
        )
    }
}
