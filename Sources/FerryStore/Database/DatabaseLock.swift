import FerrySystem
import Glibc

/// The right to use the database of a directory, held by one owner in one process.
///
/// SQLite's own lock is not enough: a process loses it when it closes any other descriptor of the same file
/// (https://sqlite.org/howtocorrupt.html, 2.2), and it does not name its holder.
struct DatabaseLock: ~Copyable {
    private static let name = "ferry.sqlite.lock"

    private let file: FileDescriptor

    /// Takes the lock.
    ///
    /// - Throws: ``StoreError/Code/inUse`` if another owner has it.
    init(in directory: Directory, for path: String) throws(StoreError) {
        do throws(SystemCallError) {
            let opened = try directory.open(Self.name, .create)
            let descriptor = opened.rawValue
            try systemCall("flock", directory.path(of: Self.name)) {
                flock(descriptor, LOCK_EX | LOCK_NB)
            }
            file = opened
        } catch {
            guard error.errno == EWOULDBLOCK else { throw StoreError(error, path: path) }
            let holder = Self.holder(in: directory).map { "process \($0) has it" }
            throw StoreError(
                code: .inUse,
                message: StoreError.message(
                    for: .inUse,
                    path: path,
                    reason: holder ?? "it is locked"
                )
            )
        }
        noteHolder()
    }

    deinit {
        // Closing is not enough: a process that is being started right now has copies of all
        // descriptors until it executes its program, and would hold the lock until then.
        flock(file.rawValue, LOCK_UN)
    }

    /// Records the lock's holder; this is for messages only, so a full disk does no harm.
    private borrowing func noteHolder() {
        try? file.truncate(to: 0)
        let text = Array("\(getpid())\n".utf8)
        _ = pwrite(file.rawValue, text, text.count, 0)
    }

    private static func holder(in directory: Directory) -> Int32? {
        guard
            let file = try? directory.open(name, .read),
            let content = try? file.readToEnd(limit: 64)
        else { return nil }
        return Int32(String(decoding: content, as: UTF8.self).prefix { $0.isNumber })
    }
}
