import FerrySystem
import FerryTestSupport
import FerryWire
import FerryWireTestSupport
import Glibc
import Testing

@testable import FerryStore

@Suite(.timeLimit(.minutes(1)))
struct OpeningTests {
    private let temporary: TemporaryDirectory

    init() throws { temporary = try TemporaryDirectory() }

    private func open() throws -> Store { try Store(directory: temporary.directory) }

    /// The failure of opening a store that must not open.
    private func refusal() throws -> StoreError {
        try FerryStoreTests.refusal(of: temporary.directory)
    }

    /// A closed store of some size.
    private func fill(taskCount: TaskID) async throws {
        let store = try open()
        let session = try await store.openedSession()
        try await store.commit(
            (1...taskCount).map { .insertTask(.waiting($0, session: session.id)) }
        )
        await store.close()
    }

    private func connect() throws -> Connection {
        try Connection(path: temporary.path + "/ferry.sqlite")
    }

    @Test func `the files are the user's alone`() async throws {
        let store = try open()
        _ = try await store.openedSession()
        let directory = temporary.directory
        for name in try directory.names() {
            let status = try directory.status(of: name)
            #expect(status?.permissions == 0o600, "\(name)")
        }
        #expect(try Set(directory.names()).isSuperset(of: ["ferry.sqlite", "ferry.sqlite-wal"]))
        #expect(store.path == temporary.path + "/ferry.sqlite")
    }

    @Test func `closing moves everything into one file`() async throws {
        try await fill(taskCount: 3)
        // The room that is kept back stays kept: the disk may be full when the store is opened again.
        #expect(
            try Set(temporary.directory.names()) == [
                "ferry.sqlite", "ferry.sqlite.lock", "reserve",
            ]
        )
    }

    @Test func `closing gives room back that a long queue has needed`() async throws {
        let store = try open()
        let session = try await store.openedSession()
        var tasks = (1...1500).map { TaskRecord.waiting($0, session: session.id) }
        for index in tasks.indices {
            tasks[index].request = Encoded(text: [UInt8](repeating: 1, count: 6000))
        }
        try await store.commit(tasks.map { .insertTask($0) }, durability: .relaxed)
        try await store.commit([.deleteSession(id: session.id)])
        _ = try await store.openedSession("next")
        await store.close()
        #expect(try temporary.contents(of: "ferry.sqlite").count < 1 << 20)
        let reopened = try open()
        #expect(try await reopened.sessions(application: 1).map(\.identifier) == ["next"])
    }

    @Test func `an SQLite that is too old is refused`() throws {
        try Database.requireLibrary(version: 3_037_000, path: "/p")
        let error = #expect(throws: StoreError.self) {
            try Database.requireLibrary(version: 3_034_001, path: "/p")
        }
        #expect(error?.code == .cannotOpen)
        #expect(error?.message.contains("3.34") == true)
    }

    @Test func `a second opener learns who has the database`() async throws {
        let store = try open()
        let error = try refusal()
        #expect(error.code == .inUse)
        #expect(error.message.contains("process \(getpid())"))
        _ = try await store.openedSession()
        await store.close()
        await (try open()).close()
    }

    @Test func `the lock ends with the store, even where a child still has its descriptor`()
        async throws
    {
        let store = try open()
        let lock = try #require(try descriptor(of: "ferry.sqlite.lock"))
        // What a process that is just being started has, too.
        let copy = dup(lock)
        defer { close(copy) }
        await store.close()
        await (try open()).close()
    }

    /// This process's descriptor of a file in the temporary directory.
    private func descriptor(of name: String) throws -> Int32? {
        for number in try Directory(opening: "/proc/self/fd").names() {
            guard let path = realpath("/proc/self/fd/" + number, nil) else { continue }
            defer { free(path) }
            if String(cString: path) == temporary.path + "/" + name { return Int32(number) }
        }
        return nil
    }

    @Test func `another process is refused, and harms nothing`() async throws {
        let store = try open()
        let session = try await store.openedSession()
        let path = temporary.path
        await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
            do {
                _ = try Store(directory: Directory(opening: path))
            } catch let error as StoreError where error.code == .inUse {
                exit(3)
            }
        }
        try await store.commit([.insertTask(.waiting(1, session: session.id))])
    }

    @Test func `a program that has the database open is waited for, not fought`() async throws {
        try await fill(taskCount: 1)
        let other = try connect()
        try other.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
        let error = try refusal()
        #expect(error.code == .inUse)
        #expect(error.sqliteCode != 0)
        try other.execute("ROLLBACK")
    }

    @Test(arguments: Schema.firstVersion...Schema.version)
    func
        `a store of each schema since the first becomes one of the present, with all that it holds`(
            version: Int64
        ) async throws
    {
        try temporary.write([], to: "ferry.sqlite")
        let older = try connect()
        try older.execute(Schema.creation)
        for script in Schema.migrations.prefix(Int(version - Schema.firstVersion)) {
            try older.execute(script)
        }
        try older.execute(
            """
            PRAGMA application_id = \(Schema.applicationID);
            PRAGMA user_version = \(version);
            INSERT INTO applications (identifier) VALUES ('app');
            INSERT INTO sessions (application_id, identifier, configuration) VALUES (1, 'one', x'');
            INSERT INTO session_counters (session_id, next_task_identifier, suspended_count)
            VALUES (1, 2, 1);
            INSERT INTO tasks (id, session_id, identifier, state, host, priority,
                received_byte_count, attempts, created_at)
            VALUES (1, 1, 1, 0, 'example.org', 0.5, 7, 0, 0);
            UPDATE last_task SET id = 1;
            INSERT INTO task_details (task_id, request) VALUES (1, x'01');
            """
        )
        let store = try open()
        let session = try await store.openedSession("one")
        #expect(session.id == 1)
        let old = try await store.task(id: 1)
        #expect(old?.request == [1] && old?.receivedByteCount == 7 && old?.upload == nil)
        var upload = TaskRecord.waiting(2, session: session.id)
        upload.upload = [4]
        try await store.commit([.insertTask(upload)])
        #expect(try await store.nextIDs() == [2])
        #expect(try await store.task(id: 2)?.upload == [4])
        await store.close()
        let reached = try connect().first("PRAGMA user_version") { $0.integer() }
        #expect(reached == Schema.version)
    }

    @Test func `a newer schema is refused and left as it is`() async throws {
        try await fill(taskCount: 10)
        try connect().execute("PRAGMA user_version = 99")
        let before = try temporary.contents(of: "ferry.sqlite")
        let error = try refusal()
        #expect(error.code == .newerSchema)
        #expect(error.message.contains("99"))
        #expect(error.message.contains(temporary.path))
        #expect(try temporary.contents(of: "ferry.sqlite") == before)
    }

    @Test func `another program's database is refused and left as it is`() throws {
        try temporary.write([], to: "ferry.sqlite")
        try connect().execute("CREATE TABLE theirs (column)")
        let before = try temporary.contents(of: "ferry.sqlite")
        let error = try refusal()
        #expect(error.code == .corrupt)
        #expect(error.message.contains("another program"))
        #expect(try temporary.contents(of: "ferry.sqlite") == before)
    }

    @Test(
        arguments: [
            (0, Array("not a database".utf8)),  // the header
            (100, [UInt8](repeating: 0xEE, count: 2000)),  // the first page
            (12 * 4096, [UInt8](repeating: 0xEE, count: 4 * 4096)),  // pages in the middle
        ] as [(Int64, [UInt8])]
    )
    func `a damaged file is refused and left as it is`(
        offset: Int64,
        garbage: [UInt8]
    ) async throws {
        try await fill(taskCount: 500)
        try temporary.write(garbage, to: "ferry.sqlite", at: offset)
        let before = try temporary.contents(of: "ferry.sqlite")
        let error = try refusal()
        #expect(error.code == .corrupt)
        #expect(error.message.contains(temporary.path + "/ferry.sqlite"))
        #expect(error.message.contains(".recover"))
        #expect(try temporary.contents(of: "ferry.sqlite") == before)
    }

    @Test func `a damaged file keeps its log, too`() async throws {
        let store = try open()
        let session = try await store.openedSession()
        try await store.commit(
            (1...500).map { .insertTask(.waiting($0, session: session.id)) }
        )
        try await store.read { database throws(StoreError) in
            try database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
        try await store.commit([.deleteTask(id: 7)])
        // What a crash would leave.
        let crashed = try TemporaryDirectory()
        for name in ["ferry.sqlite", "ferry.sqlite-wal"] { try temporary.copy(name, to: crashed) }
        let pages = [UInt8](repeating: 0xEE, count: 20 * 4096)
        try crashed.write(pages, to: "ferry.sqlite", at: 20 * 4096)
        let before = try ["ferry.sqlite", "ferry.sqlite-wal"].map(crashed.contents)
        let error = try #require(
            #expect(throws: StoreError.self) { _ = try Store(directory: crashed.directory) }
        )
        #expect(error.code == .corrupt)
        #expect(try ["ferry.sqlite", "ferry.sqlite-wal"].map(crashed.contents) == before)
    }

    @Test func `damage found later ends a request, not the process`() async throws {
        try await fill(taskCount: 500)
        let store = try open()
        // Not through a descriptor of this process: closing it would drop SQLite's lock.
        try await store.read { database throws(StoreError) in
            try database.connection.execute(
                """
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET rootpage = 9999 WHERE name = 'task_details';
                PRAGMA writable_schema = RESET;
                """
            )
        }
        let error = try await failure { _ = try await store.task(id: 1) }
        #expect(error.code == .corrupt)
    }

    @Test func `a symbolic link in the database's place is not followed`() throws {
        let target = temporary.path + "/elsewhere"
        symlink(target, temporary.path + "/ferry.sqlite")
        let error = try refusal()
        #expect(error.code == .cannotOpen)
        #expect(access(target, F_OK) == -1)
    }

    @Test func `a directory in the database's place is refused`() throws {
        let name = temporary.path + "/ferry.sqlite"
        mkdir(name, 0o700)
        #expect(try refusal().code == .cannotOpen)
        rmdir(name)
    }

    @Test func `an empty file becomes a database`() async throws {
        try temporary.write([], to: "ferry.sqlite")
        let store = try open()
        #expect(store.nextTaskID == 1)
        #expect(try await store.totals() == SessionCounts())
    }

    @Test func `REL-10: a queue that is not there is missing, and so is one that was emptied`()
        async throws
    {
        #expect(try Store.isMissing(in: temporary.directory))
        try temporary.write([], to: Store.fileName)
        #expect(try Store.isMissing(in: temporary.directory))
        try await fill(taskCount: 1)
        #expect(try !Store.isMissing(in: temporary.directory))
    }
}
