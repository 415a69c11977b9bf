import FerrySystem
import FerryTransfer
import Foundation
import Testing

@testable import Ferry

/// How fast tasks get the response that they share.
@Suite("The flow of a shared request", .timeLimit(.minutes(5)))
@LoopActor
struct SharedLoadTests {
    private let source = PlayedSource()
    private let shared = SharedLoad {}
    private let receivers = [CountingReceiver(), CountingReceiver()]
    private let members: [SharedLoader]

    /// Two tasks share a request, to which the response has begun.
    init() throws {
        let url = try #require(URL(string: "http://localhost/"))
        let task = URLSession(configuration: .ephemeral).dataTask(with: url)
        defer { task.cancel() }
        let configuration = URLSessionConfiguration.ephemeral.snapshot
        let decider = TaskDecider(
            task: task,
            engine: InProcessEngine(configuration: configuration)
        )
        let shared = shared
        members = zip(receivers, [true, false]).map { receiver, isFirst in
            SharedLoader(
                shared,
                isFirst: isFirst,
                decider: decider,
                receiver: receiver,
                makeSource: { _ in PlayedSource() },
                released: {}
            )
        }
        shared.start(source)
        shared.didReceive(LatestResponse())
    }

    @Test(arguments: [0, 1], [true, false])
    func `P15: a slow task holds up the other one until it takes what is kept for it, or leaves`(
        slow: Int,
        leaves: Bool
    ) {
        defer { for member in members { member.cancel() } }
        members[slow].pause()
        #expect(!source.isPaused)
        // One more than is kept.
        let bytes = [UInt8](repeating: 0, count: (16 << 20) + 1)
        bytes.withUnsafeBytes { shared.didReceive($0) }
        #expect(source.isPaused)
        if leaves { members[slow].cancel() } else { members[slow].resume() }
        #expect(!source.isPaused)
        #expect(receivers[slow].byteCount == (leaves ? 0 : bytes.count))
        #expect(receivers[1 - slow].byteCount == bytes.count)
    }

    @Test(arguments: [0, 1])
    func `P15: a request waits when none but slow tasks are left, and ends with the last one`(
        leaving: Int
    ) {
        members[1 - leaving].pause()
        #expect(!source.isPaused)
        members[leaving].cancel()
        #expect(source.isPaused)
        #expect(!source.isCancelled)
        members[1 - leaving].cancel()
        #expect(source.isCancelled)
    }
}

/// A source that notes what it is to do.
@LoopActor
private final class PlayedSource: ResourceLoader {
    private(set) var isPaused = false
    private(set) var isCancelled = false

    func start() {}

    func pause() { isPaused = true }

    func resume() { isPaused = false }

    func cancel() { isCancelled = true }
}

/// Counts the bytes that a task gets.
@LoopActor
private final class CountingReceiver: ResourceReceiver {
    private(set) var byteCount = 0

    func didReceive(_ response: LatestResponse) {}

    func willReceive(_ progress: CodedProgress) {}

    func didReceive(_ bytes: UnsafeRawBufferPointer) { byteCount += bytes.count }

    func mayStore(
        _ proposed: CachedURLResponse,
        then store: @escaping @LoopActor (CachedURLResponse?) -> Void
    ) {
        store(proposed)
    }

    func didRedirect(to request: URLRequest, _ response: URLResponse) {}

    func didFinish(_ error: (any Error)?) {}
}
