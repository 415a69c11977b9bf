import CSQLite
import Glibc
import Synchronization

/// Tells when SQLite forces the write-ahead log of a database onto the disk.
///
/// SQLite's own layer above the system (https://sqlite.org/vfs.html) is left as it is, but for one function
/// of the log's file.
enum SynchronizationLog {
    /// An open log.
    private struct Log: @unchecked Sendable {
        // @unchecked because SQLite never changes a file's methods.
        var database: String
        var methods: UnsafePointer<sqlite3_io_methods>
    }

    private struct State {
        var observers: [String: @Sendable () -> Void] = [:]
        /// The databases of the open logs, by address, and the functions that these have had.
        var logs: [UInt: Log] = [:]
        /// The functions that they have instead, by those, which are few: SQLite keeps what it is given.
        var replacements: [UInt: UInt] = [:]
    }

    private static let state = Mutex(State())

    /// From here on every database is opened so that its log can be observed.
    static func install() { _ = layer }

    /// Calls `body` at each synchronisation of a database's log, on whatever thread, when it is done.
    static func observe(_ database: String, _ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.observers[database] = body }
    }

    static func forget(_ database: String) {
        state.withLock { $0.observers[database] = nil }
    }

    // What SQLite is given it keeps, so that nothing here is ever freed.
    private static let layer: Bool = {
        guard let present = sqlite3_vfs_find(nil) else { return false }
        let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        layer.initialize(to: present.pointee)
        layer.pointee.zName = UnsafePointer(strdup("ferry-tests"))
        layer.pointee.xOpen = { _, name, file, flags, outFlags in
            // The layer that this one hides is the one behind it.
            guard let present = sqlite3_vfs_find("unix"), let file,
                let code = present.pointee.xOpen?(present, name, file, flags, outFlags)
            else { return SQLITE_ERROR }
            if code == SQLITE_OK, flags & SQLITE_OPEN_WAL != 0, let name {
                SynchronizationLog.wrap(file, path: String(cString: name))
            }
            return code
        }
        return sqlite3_vfs_register(layer, 1) == SQLITE_OK
    }()

    private static func wrap(_ file: UnsafeMutablePointer<sqlite3_file>, path: String) {
        guard let methods = file.pointee.pMethods else { return }
        let database = String(path.dropLast("-wal".count))
        let address = UInt(bitPattern: file)
        let log = Log(database: database, methods: methods)
        let pointer = state.withLock { state in
            state.logs[address] = log
            let original = UInt(bitPattern: methods)
            let known = state.replacements[original] ?? UInt(bitPattern: replacement(of: methods))
            state.replacements[original] = known
            return known
        }
        file.pointee.pMethods = UnsafePointer(bitPattern: pointer)
    }

    /// The functions of a log's file that tell when it is forced onto the disk.
    private static func replacement(
        of methods: UnsafePointer<sqlite3_io_methods>
    ) -> UnsafePointer<sqlite3_io_methods> {
        let wrapped = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        wrapped.initialize(to: methods.pointee)
        wrapped.pointee.xSync = { file, flags in
            guard let file else { return SQLITE_ERROR }
            let address = UInt(bitPattern: file)
            let log = SynchronizationLog.state.withLock { $0.logs[address] }
            guard let log, let code = log.methods.pointee.xSync?(file, flags) else {
                return SQLITE_ERROR
            }
            let observer = SynchronizationLog.state.withLock { $0.observers[log.database] }
            observer?()
            return code
        }
        return UnsafePointer(wrapped)
    }
}
