/// The tables of the database, and the scripts that lead from one version of them to the next.
enum Schema {
    /// The mark of Ferry's databases: "Fery" in the header of the file.
    static let applicationID: Int64 = 0x4665_7279

    /// The version that an empty file gets first; those below it were never released.
    static let firstVersion: Int64 = 12

    /// The script that makes the first version in an empty file.
    static let creation = tables + indexes

    /// The script that leads from each version to the next, from the first on.
    static let migrations: [String] = []

    /// The version this code reads and writes.
    static var version: Int64 { firstVersion + Int64(migrations.count) }

    // MARK: The first version

    // Rows of `tasks` are small, because SQLite rewrites a whole row at each change: large values that hardly
    // ever change are in `task_details`. So are the counters of a session, which change often.
    //
    // States: 0 suspended, 1 waiting, 2 completed, 3 and 4 held back by the user, as in TaskRecord.State. A
    // waiting task is ready when its `not_before` is null; the store sets it to null when that time has
    // passed. An index can therefore hold the ready tasks in the order in which they are to run.
    //
    // A task's identifier stays used permanently, even when the task is gone. Identifiers below a session's
    // next one that were skipped, which is rare, are kept in ranges.
    //
    // A checkpoint is written far more often than the content of an upload, which no query searches by. `avoids`
    // are the conditions of the machine under which a task, or each task of a session, does not run; a task's are
    // -1 if a person lets it run under all. Tasks that avoid different conditions are in different queues, so that
    // a search passes over all of a queue. Applications have equal shares, so the queues of one must be found.
    //
    // The event that reports the end of a task is the only one that is stored: with the task, which is deleted when the
    // event is acknowledged.
    //
    // `session_counters`, `host_queues` and `last_task` hold what `Counters` counts, so that rows are never counted.
    //
    // What ferryd remembers of tasks that have ended is in the order in which they did. Few rows are kept, and the one
    // that is looked for is nearly always among the last: an index would cost each end of a task more than it saves.
    private static let tables = """
        CREATE TABLE applications (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            identifier TEXT NOT NULL UNIQUE,
            launch TEXT,
            launch_attempts INTEGER NOT NULL DEFAULT 0,
            next_launch_at REAL,
            quit INTEGER NOT NULL DEFAULT 0
        ) STRICT;

        CREATE TABLE sessions (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            application_id INTEGER NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
            identifier TEXT NOT NULL,
            configuration BLOB NOT NULL,
            avoids INTEGER NOT NULL DEFAULT 0,
            UNIQUE (application_id, identifier)
        ) STRICT;

        CREATE TABLE session_counters (
            session_id INTEGER PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
            next_task_identifier INTEGER NOT NULL DEFAULT 1,
            next_sequence INTEGER NOT NULL DEFAULT 1,
            suspended_count INTEGER NOT NULL DEFAULT 0,
            waiting_count INTEGER NOT NULL DEFAULT 0,
            completed_count INTEGER NOT NULL DEFAULT 0
        ) STRICT;

        CREATE TABLE tasks (
            id INTEGER PRIMARY KEY,
            session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
            identifier INTEGER NOT NULL,
            state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 4),
            host TEXT NOT NULL CHECK (host <> ''),
            priority REAL NOT NULL,
            received_byte_count INTEGER NOT NULL,
            expected_byte_count INTEGER,
            attempts INTEGER NOT NULL,
            not_before REAL,
            created_at REAL NOT NULL,
            started_at REAL,
            deadline REAL,
            time_left REAL,
            description TEXT,
            checkpoint BLOB,
            avoids INTEGER NOT NULL DEFAULT 0,
            end_sequence INTEGER,
            UNIQUE (session_id, identifier)
        ) STRICT;

        CREATE TABLE last_task (
            id INTEGER NOT NULL
        ) STRICT;
        INSERT INTO last_task VALUES (0);

        CREATE TABLE task_details (
            task_id INTEGER PRIMARY KEY REFERENCES tasks (id) ON DELETE CASCADE,
            request BLOB NOT NULL,
            current_request BLOB,
            response BLOB,
            last_error BLOB,
            upload BLOB,
            delay BLOB,
            options BLOB,
            link BLOB,
            end_event BLOB,
            end_path TEXT
        ) STRICT;

        CREATE TABLE host_queues (
            host TEXT NOT NULL,
            session_id INTEGER NOT NULL,
            avoids INTEGER NOT NULL,
            application_id INTEGER NOT NULL,
            waiting_count INTEGER NOT NULL,
            ready_count INTEGER NOT NULL,
            PRIMARY KEY (host, session_id, avoids)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE unused_identifiers (
            session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            PRIMARY KEY (session_id, first)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE ended_tasks (
            number INTEGER PRIMARY KEY,
            task_id INTEGER NOT NULL,
            record BLOB NOT NULL,
            path TEXT,
            is_discarded INTEGER NOT NULL DEFAULT 0
        ) STRICT;

        CREATE TABLE settings (
            name TEXT PRIMARY KEY,
            value BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;

        """

    // What belongs to a deleted row is deleted by the functions that delete, not by foreign keys, which are off;
    // REFERENCES in the tables say what belongs to what.
    //
    // All that changes more than one row says OR FAIL. Without it, and with foreign keys, SQLite would copy every
    // page before a statement changes it, to be able to undo a failed statement alone. A commit undoes the whole
    // request instead (`Database.commit`).
    //
    // A list after IN would be a table of its own for each statement, from three elements on.
    private static let indexes = """
        CREATE INDEX sessions_avoiding ON sessions (avoids) WHERE avoids > 0;

        CREATE INDEX tasks_of_session ON tasks (session_id);
        CREATE INDEX tasks_delayed ON tasks (not_before)
            WHERE state = 1 AND not_before IS NOT NULL;
        CREATE INDEX tasks_with_deadline ON tasks (deadline)
            WHERE state <> 2 AND deadline IS NOT NULL;
        CREATE INDEX tasks_ready ON tasks (host, session_id, avoids, priority DESC)
            WHERE state = 1 AND not_before IS NULL;
        CREATE INDEX tasks_with_date ON task_details (task_id) WHERE delay IS NOT NULL;

        CREATE UNIQUE INDEX tasks_ended ON tasks (session_id, end_sequence)
            WHERE end_sequence IS NOT NULL;

        CREATE INDEX host_queues_ready ON host_queues (application_id, host) WHERE ready_count > 0;
        CREATE INDEX host_queues_avoiding ON host_queues (avoids) WHERE avoids > 0;

        """
}
