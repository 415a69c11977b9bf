import CFerryLinux
import Glibc

/// All pending timers over one timerfd: a binary heap ordered by deadline.
///
/// A cancelled timer stays in the heap until it is due or until cancelled ones are the majority,
/// so that cancelling is cheap: nearly all timers are cancelled, and the first of thousands is the dearest to remove.
@LoopActor
final class LoopTimerQueue {
    private var heap: [LoopTimer] = []
    private var cancelledCount = 0
    private var nextKey: UInt64 = 0
    private var armedDeadline: ContinuousClock.Instant?
    private let descriptor = LoopThread.shared.timer

    func schedule(
        at deadline: ContinuousClock.Instant,
        handler: @escaping @LoopActor () -> Void
    ) -> LoopTimer {
        nextKey += 1
        let timer = LoopTimer(deadline: deadline, key: nextKey, queue: self, handler: handler)
        heap.append(timer)
        siftUp(heap.count - 1)
        arm()
        return timer
    }

    func cancelled() {
        cancelledCount += 1
        if cancelledCount > 64, cancelledCount * 2 > heap.count {
            heap = heap.filter(\.isPending)
            cancelledCount = 0
            for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { siftDown(index) }
            arm()
        } else if cancelledCount == heap.count {
            heap.removeAll(keepingCapacity: true)
            cancelledCount = 0
            arm()
        }
    }

    func fireDue() {
        var expirations: UInt64 = 0
        read(descriptor, &expirations, MemoryLayout.size(ofValue: expirations))
        armedDeadline = nil
        let now = EventLoop.now
        while let first = heap.first, !first.isPending || first.deadline <= now {
            removeFirst()
            if first.isPending { first.fire() } else { cancelledCount = max(0, cancelledCount - 1) }
        }
        arm()
    }

    /// Sets the timerfd to the first deadline; without timers, it is disarmed.
    private func arm() {
        let deadline = heap.first?.deadline
        // An armed deadline that is too early only finds nothing due. Most timers are cancelled, and each
        // change of the timerfd is a system call.
        if let deadline, let armedDeadline, armedDeadline <= deadline { return }
        guard deadline != armedDeadline else { return }
        armedDeadline = deadline
        var specification = itimerspec()
        if let deadline {
            // Zero would disarm the timerfd, so an overdue timer gets one nanosecond.
            let wait = max(deadline - EventLoop.now, .nanoseconds(1)).components
            specification.it_value.tv_sec = Int(wait.seconds)
            let nanoseconds = Int(wait.attoseconds / 1_000_000_000)
            specification.it_value.tv_nsec = wait.seconds == 0 ? max(nanoseconds, 1) : nanoseconds
        }
        timerfd_settime(descriptor, 0, &specification, nil)
    }

    private func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        if !heap.isEmpty { siftDown(0) }
    }

    private func isOrdered(_ left: Int, before right: Int) -> Bool {
        (heap[left].deadline, heap[left].key) < (heap[right].deadline, heap[right].key)
    }

    private func siftUp(_ start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard isOrdered(child, before: parent) else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private func siftDown(_ start: Int) {
        var parent = start
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if isOrdered(child, before: least) { least = child }
            }
            if least == parent { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}

/// A call on the event loop that is due once, after a delay.
@LoopActor
package final class LoopTimer {
    /// When the handler is due.
    package let deadline: ContinuousClock.Instant
    let key: UInt64
    private var handler: (@LoopActor () -> Void)?
    private weak var queue: LoopTimerQueue?

    init(
        deadline: ContinuousClock.Instant,
        key: UInt64,
        queue: LoopTimerQueue,
        handler: @escaping @LoopActor () -> Void
    ) {
        self.deadline = deadline
        self.key = key
        self.queue = queue
        self.handler = handler
    }

    /// Whether the handler is yet to be called.
    package var isPending: Bool { handler != nil }

    /// Prevents the handler from being called, and releases it.
    package func cancel() {
        guard handler != nil else { return }
        handler = nil
        queue?.cancelled()
    }

    func fire() {
        guard let handler else { return }
        self.handler = nil
        handler()
    }
}
