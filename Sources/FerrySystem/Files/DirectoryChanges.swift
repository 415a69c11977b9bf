import CFerryLinux
import Glibc

/// An entry of a directory, which need not exist.
package struct DirectoryEntry: Hashable, Sendable {
    /// The directory's path.
    package let directory: String
    /// The entry's name.
    package let name: String
    /// Whether only its appearance is of interest, not what happens to it afterwards.
    package let isAwaited: Bool

    package init(_ name: String, in directory: String, isAwaited: Bool = false) {
        self.name = name
        self.directory = directory
        self.isAwaited = isAwaited
    }

    /// The entry's path.
    package var path: String { directory == "/" ? "/" + name : directory + "/" + name }
}

/// The kernel's queue of changes to entries of directories (inotify(7)).
///
/// It is filled from its creation on: what is read of the entries after that misses no change. Changes to the
/// directories themselves, such as their removal, count as well, and so does a loss of changes.
package final class DirectoryChanges: Sendable {
    /// A change to an entry that was there: written and closed, replaced, removed, made readable.
    private static let entryMask =
        appearanceMask | UInt32(IN_CLOSE_WRITE | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB)
    private static let appearanceMask =
        UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)
    /// What concerns a directory as a whole, or the queue.
    private static let wholeMask = UInt32(
        IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED | IN_Q_OVERFLOW
    )

    /// The queue's descriptor, which is readable when there are changes.
    let descriptor: Int32
    /// The names of interest, by the kernel's number of their directory.
    private let names: [Int32: Set<String>]

    /// Opens a queue.
    ///
    /// - Precondition: The caller is not on the loop, unless no directory can be on a server that does not answer.
    /// - Parameter entries: The entries; their directories must exist.
    /// - Throws: `inotify_init1`, or `inotify_add_watch` with the directory; `ENOSPC` when the user has too many watches.
    package init(of entries: [DirectoryEntry]) throws(SystemCallError) {
        let queue = FileDescriptor(
            owning: try systemCall("inotify_init1") {
                inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
            }
        )
        let raw = queue.rawValue
        var names: [Int32: Set<String>] = [:]
        for entry in entries {
            let interest = entry.isAwaited ? Self.appearanceMask : Self.entryMask
            // Two paths may lead to one directory, which has one number.
            let mask = interest | UInt32(IN_MASK_ADD | IN_ONLYDIR)
            let number = try systemCall("inotify_add_watch", entry.directory) {
                inotify_add_watch(raw, entry.directory, mask)
            }
            names[number, default: []].insert(entry.name)
        }
        self.names = names
        descriptor = queue.release()
    }

    deinit { _ = Glibc.close(descriptor) }

    /// Empties the queue.
    ///
    /// - Returns: Whether any of the changes concerns one of the entries.
    func take() -> Bool {
        var concernsEntry = false
        // The kernel refuses a buffer that is too small for the longest name.
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { return }
                var rest = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                while let event = Event(takenFrom: &rest) {
                    if isOfInterest(event) { concernsEntry = true }
                }
            }
        }
        return concernsEntry
    }

    private func isOfInterest(_ event: Event) -> Bool {
        event.mask & Self.wholeMask != 0 || names[event.directory]?.contains(event.name) ?? false
    }

    /// A change, as the kernel writes it: `struct inotify_event`, followed by the name and zeros.
    private struct Event {
        let directory: Int32
        let mask: UInt32
        let name: String

        init?(takenFrom bytes: inout UnsafeRawBufferPointer) {
            let headerSize = MemoryLayout<inotify_event>.size
            guard bytes.count >= headerSize else { return nil }
            let header = bytes.loadUnaligned(as: inotify_event.self)
            let size = headerSize + Int(header.len)
            guard bytes.count >= size else { return nil }
            directory = header.wd
            mask = header.mask
            name = String(decoding: bytes[headerSize..<size].prefix { $0 != 0 }, as: UTF8.self)
            bytes = UnsafeRawBufferPointer(rebasing: bytes[size...])
        }
    }
}

/// An observation of changes to entries of directories.
///
/// Without changes in the directories it causes no wake-up.
@LoopActor
package final class DirectoryObservation {
    private let changes: DirectoryChanges
    private var watch: Watch?

    /// Calls `handler` on the loop after changes, once for those that come together, until cancelled.
    ///
    /// - Throws: `epoll_ctl`.
    package init(
        _ changes: DirectoryChanges,
        handler: @escaping @LoopActor () -> Void
    ) throws(SystemCallError) {
        self.changes = changes
        watch = try EventLoop.shared.watch(changes.descriptor, for: .readable) { _ in
            if changes.take() { handler() }
        }
    }

    isolated deinit { watch?.cancel() }

    /// Stops observing.
    package func cancel() {
        watch?.cancel()
        watch = nil
    }
}
