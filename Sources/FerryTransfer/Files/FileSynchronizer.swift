package import FerrySystem
import Synchronization

/// Forces partial files onto the disk, off the loop.
///
/// Files that wait at the same time share one synchronization of their directory, and one message back to the
/// loop. On a disk that takes its time they are forced at the same time, because a file system writes the
/// changes of all of them at once then. So many short downloads cost the disk little more than one.
package final class FileSynchronizer: Sendable {
    /// The time above which the disk is worth more threads.
    ///
    /// A file in memory takes a fifth of it.
    private static let slowForce = Duration.microseconds(100)
    /// With more threads, ext4 gains nothing.
    private static let threadLimit = 15

    /// The queue that waits for the disk; other work with files may be done there, too.
    package let queue: BlockingQueue

    /// More threads, for files that a slow disk is to force at the same time.
    private let others: BlockingQueue
    private let waiting = Mutex<[Request]>([])

    /// Prepares a synchronizer with a thread of its own, and more while many files wait for a slow disk.
    ///
    /// - Parameter label: The name of the threads, of which the kernel shows 15 bytes.
    package init(label: String) {
        queue = BlockingQueue(label: label)
        others = BlockingQueue(label: label, threadLimit: Self.threadLimit)
    }

    /// A file to force onto the disk.
    struct Request: Sendable {
        typealias Outcome = Result<Void, TransferError>

        /// Forces the file alone.
        var force: @Sendable () throws(TransferError) -> Void
        /// The directory to synchronize as well, if the file's entry in it is not on the disk yet.
        var anchor: Directory?
        /// Called on the loop.
        var completion: @LoopActor @Sendable (Outcome) -> Void
    }

    /// Forces a file onto the disk after everything that was requested before.
    func submit(_ request: Request) {
        let isFirst = waiting.withLock { waiting in
            waiting.append(request)
            return waiting.count == 1
        }
        if isFirst { queue.perform { self.run() } }
    }

    private func run() {
        let requests = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        var outcomes = force(requests)
        // In this order, a file that is found has all its bytes.
        let anchors = requests.compactMap(\.anchor)
        let directories = Dictionary(anchors.map { (ObjectIdentifier($0), $0) }) { first, _ in first
        }
        for (identifier, directory) in directories {
            let outcome = Result { () throws(TransferError) in
                try directory.synchronizeForTransfer()
            }
            guard case .failure = outcome else { continue }
            for (index, request) in requests.enumerated()
            where request.anchor.map(ObjectIdentifier.init) == identifier {
                outcomes[index] = outcome
            }
        }
        let results = Array(zip(requests, outcomes))
        LoopActor.perform {
            for (request, outcome) in results { request.completion(outcome) }
        }
    }

    /// Forces files one after another until one has taken long, then the others at the same time.
    private func force(_ requests: [Request]) -> [Request.Outcome] {
        var outcomes: [Request.Outcome] = []
        for request in requests {
            let start = ContinuousClock.now
            outcomes.append(request.forced())
            if start.duration(to: .now) > Self.slowForce { break }
        }
        let rest = requests.dropFirst(outcomes.count)
        let first = rest.startIndex
        return outcomes
            + others.concurrentPerform(count: rest.count) { rest[first + $0].forced() }
    }
}

extension FileSynchronizer.Request {
    /// Forces the file and returns whether that has succeeded.
    fileprivate func forced() -> Outcome {
        Result { () throws(TransferError) in try force() }
    }
}

extension Directory {
    /// Forces the names in the directory onto the disk.
    func synchronizeForTransfer() throws(TransferError) {
        do {
            try synchronize()
        } catch {
            throw TransferError(error, during: .write)
        }
    }
}
