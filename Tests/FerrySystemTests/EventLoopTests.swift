import Dispatch
import FerryTestSupport
import Glibc
import Synchronization
import Testing

@testable import FerrySystem

@Suite(.timeLimit(.minutes(1))) struct EventLoopTests {
    @Test func `work given from one thread runs in its order`() async {
        let seen = Recorder<Int>()
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            for number in 0..<10_000 {
                LoopActor.perform { seen.append(number) }
            }
            LoopActor.perform { done.resume() }
        }
        #expect(seen.elements == Array(0..<10_000))
    }

    @Test func `an async function isolated to the loop runs on the loop's thread`() async {
        #expect(await Self.isOnLoop())
    }

    @Test func `being asked off the loop traps`() async {
        await #expect(processExitsWith: .failure) {
            LoopActor.assumeIsolated { _ = EventLoop.shared }
        }
    }

    @Test func `timers fire in the order of their deadlines`() async {
        let order = Recorder<Int>()
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            LoopActor.perform {
                for number in [3, 1, 2] {
                    _ = EventLoop.shared.schedule(after: .milliseconds(number * 3)) {
                        order.append(number)
                        if number == 3 { done.resume() }
                    }
                }
            }
        }
        #expect(order.elements == [1, 2, 3])
    }

    // MARK: Work that blocks

    @Test func `of two works that are given at once neither waits for the other`() async {
        let queue = BlockingQueue(label: "test", threadLimit: 2)
        for _ in 0..<200 {
            let gate = DispatchSemaphore(value: 0)
            await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
                queue.perform {
                    gate.wait()
                    done.resume()
                }
                queue.perform { gate.signal() }
            }
        }
    }

    private final class Token: Sendable {}

    /// Gives work that holds something.
    private static func giveWork(to queue: BlockingQueue) -> () -> Token? {
        let token = Token()
        queue.perform { withExtendedLifetime(token) {} }
        return { [weak token] in token }
    }

    @Test func `work that is done is let go of though other work waits`() async {
        let queue = BlockingQueue(label: "test")
        let (gate, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        queue.perform { gate.wait() }
        let token = Self.giveWork(to: queue)
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            queue.perform {
                done.resume()
                end.wait()
            }
            for _ in 0..<9 { queue.perform {} }
            gate.signal()
        }
        #expect(token() == nil)
        end.signal()
    }

    /// How many threads of this process have a name.
    private static func threadCount(named name: String) -> Int {
        let path = "/proc/self/task"
        let threads = (try? Directory(opening: path).names()) ?? []
        return threads.count { thread in
            let file = try? Directory(opening: "\(path)/\(thread)").open("comm", .read)
            let bytes = try? file?.readToEnd(limit: 64)
            return bytes.map { String(decoding: $0, as: UTF8.self) } == name + "\n"
        }
    }

    @Test func `of the threads that were needed at once one stays`() async {
        let queue = BlockingQueue(label: "test.crowd", threadLimit: 8)
        let gate = DispatchSemaphore(value: 0)
        // A thread has its name when it works.
        await withCheckedContinuation { (all: CheckedContinuation<Void, Never>) in
            let working = Mutex(0)
            for _ in 0..<8 {
                queue.perform {
                    let count = working.withLock { count in
                        count += 1
                        return count
                    }
                    if count == 8 { all.resume() }
                    gate.wait()
                }
            }
        }
        #expect(Self.threadCount(named: "test.crowd") > 1)
        for _ in 0..<8 { gate.signal() }
        while Self.threadCount(named: "test.crowd") > 1 { await Task.yield() }
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            queue.perform { done.resume() }
        }
    }

    @Test func `many items are worked on at the same time, and none twice`() {
        let queue = BlockingQueue(label: "test", threadLimit: 3)
        let gates = (0..<4).map { _ in DispatchSemaphore(value: 0) }
        // Each of the first four opens the next one's gate, and the first waits for the last.
        let results = queue.concurrentPerform(count: 100) { item in
            if item < 4 {
                if item > 0 { gates[item].wait() }
                gates[(item + 1) % 4].signal()
                if item == 0 { gates[0].wait() }
            }
            return item * item
        }
        #expect(results == (0..<100).map { $0 * $0 })
        #expect(queue.concurrentPerform(count: 0) { $0 } == [])
        #expect(queue.concurrentPerform(count: 1) { $0 } == [0])
    }

    @Test func `a queue whose threads all hang delays no work on many items`() {
        let queue = BlockingQueue(label: "test", threadLimit: 1)
        let gate = DispatchSemaphore(value: 0)
        queue.perform { gate.wait() }
        #expect(queue.concurrentPerform(count: 10) { $0 } == Array(0..<10))
        gate.signal()
    }

    @Test func `a cancelled timer does not fire, among thousands that are cancelled`() async {
        let fired = Recorder<Int>()
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            LoopActor.perform {
                let timers = (0..<5_000).map { number in
                    EventLoop.shared.schedule(after: .milliseconds(number % 10)) {
                        fired.append(number)
                    }
                }
                for (index, timer) in timers.enumerated() where index % 5 != 0 { timer.cancel() }
                _ = EventLoop.shared.schedule(after: .milliseconds(30)) { done.resume() }
            }
        }
        #expect(fired.elements.count == 1_000)
    }

    @Test(arguments: [(100, 61), (110, 3), (110, 26), (128, 267)])
    func `timers fire in order, however many others are cancelled`(count: Int, step: Int) async {
        let isInOrder = await withCheckedContinuation {
            (done: CheckedContinuation<Bool, Never>) in
            LoopActor.perform {
                let fired = Recorder<Int>()
                let timers = (0..<count).map { number in
                    let delay = Duration.microseconds(number * step % 307 * 500)
                    return EventLoop.shared.schedule(after: delay) { fired.append(number) }
                }
                // So many that those which are left are put in order anew.
                for timer in timers.suffix(66) { timer.cancel() }
                _ = EventLoop.shared.schedule(after: .milliseconds(160)) {
                    let deadlines = fired.elements.map { timers[$0].deadline }
                    let isWhole = deadlines.count == count - 66
                    done.resume(returning: isWhole && deadlines == deadlines.sorted())
                }
            }
        }
        #expect(isInOrder)
    }

    @Test func `a watched descriptor reports bytes until they are read`() async throws {
        let (read, write) = try pipe()
        let bytes = await withCheckedContinuation { (done: CheckedContinuation<[UInt8], Never>) in
            LoopActor.perform {
                let box = WatchBox()
                var seen: [UInt8] = []
                box.watch = try? EventLoop.shared.watch(read, for: .readable) { readiness in
                    var byte: UInt8 = 0
                    guard Glibc.read(read, &byte, 1) == 1 else { return }
                    seen.append(byte)
                    if seen.count == 3 {
                        box.watch?.cancel()
                        done.resume(returning: seen)
                    }
                }
            }
            Glibc.write(write, [7, 8, 9] as [UInt8], 3)
        }
        #expect(bytes == [7, 8, 9])
        close(read)
        close(write)
    }

    @Test func `a cancelled watch is silent though its descriptor is ready`() async throws {
        let (read, write) = try pipe()
        Glibc.write(write, [1] as [UInt8], 1)
        let count = Recorder<Int>()
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            LoopActor.perform {
                let watch = try? EventLoop.shared.watch(read, for: .readable) { _ in
                    count.append(1)
                }
                watch?.cancel()
                _ = EventLoop.shared.schedule(after: .milliseconds(5)) { done.resume() }
            }
        }
        #expect(count.elements.isEmpty)
        close(read)
        close(write)
    }

    @Test func `a watch that is cancelled too late leaves the descriptor's next watch alone`()
        async throws
    {
        let (first, firstEnd) = try pipe()
        let (second, secondEnd) = try pipe()
        Glibc.write(secondEnd, [1] as [UInt8], 1)
        let isSeen = await withCheckedContinuation { (done: CheckedContinuation<Bool, Never>) in
            LoopActor.perform {
                let late = try? EventLoop.shared.watch(first, for: .readable) { _ in }
                // The number now stands for the second pipe, of which the first watch knows nothing.
                dup2(second, first)
                let box = WatchBox()
                box.watch = try? EventLoop.shared.watch(first, for: .readable) { _ in
                    box.watch?.cancel()
                    box.timer?.cancel()
                    done.resume(returning: true)
                }
                late?.cancel()
                box.timer = EventLoop.shared.schedule(after: .seconds(5)) {
                    box.watch?.cancel()
                    done.resume(returning: false)
                }
            }
        }
        #expect(isSeen)
        for descriptor in [first, firstEnd, second, secondEnd] { close(descriptor) }
    }

    @Test func `blocking work keeps its order and throws what it throws`() async {
        let queue = BlockingQueue(label: "test")
        let seen = Recorder<Int>()
        for number in 0..<100 { queue.perform { seen.append(number) } }
        let count = await queue.run { seen.elements.count }
        #expect(count == 100)
        await #expect(throws: SystemCallError(call: "close", errno: EBADF)) {
            try await queue.run(Self.closeNothing)
        }
    }

    @LoopActor private static func isOnLoop() async -> Bool {
        await Task.yield()
        return LoopThread.shared.isCurrent
    }

    @Sendable private static func closeNothing() throws(SystemCallError) -> Int32 {
        try systemCall("close") { close(-1) }
    }

    private func pipe() throws -> (Int32, Int32) {
        var ends: [Int32] = [0, 0]
        try systemCall("pipe") { Glibc.pipe(&ends) }
        return (ends[0], ends[1])
    }
}

@LoopActor private final class WatchBox {
    var watch: Watch?
    var timer: LoopTimer?
}
