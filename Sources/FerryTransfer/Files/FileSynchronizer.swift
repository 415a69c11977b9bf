package import FerrySystem
import Synchronization

/// Forces partial files onto the disk, off the loop.
///
/// Files that wait at the same time share one synchronization of their directory, and one message back to the
/// loop, so that many short downloads cost the disk little more than one.
package final class FileSynchronizer: Sendable {
    /// The queue that waits for the disk; other work with files may be done there, too.
    package let queue: BlockingQueue

    private let waiting = Mutex<[Request]>([])

    /// Prepares a synchronizer with a thread of its own.
    ///
    /// - Parameter label: The name of the thread, of which the kernel shows 15 bytes.
    package init(label: String) {
        queue = BlockingQueue(label: label)
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
        var outcomes = requests.map { request in
            Result { () throws(TransferError) in try request.force() }
        }
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
