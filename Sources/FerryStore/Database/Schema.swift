/// The tables of the database, and the scripts that lead from one version of them to the next.
enum Schema {
    /// The mark of Ferry's databases: "Fery" in the header of the file.
    static let applicationID: Int64 = 0x4665_7279

    /// The version that an empty file gets first; those below it were never released.
    static let firstVersion: Int64 = 10

    /// The script that makes the first version in an empty file.
    static let creation = tables + indexes + triggers

    /// The script that leads from each version to the next, from the first on.
    static let migrations = [endedTasks]

    /// The version this code reads and writes.
    static var version: Int64 { firstVersion + Int64(migrations.count) }

    // What ferryd remembers of tasks that have ended, in the order in which they did. Few rows are kept, and the one
    // that is looked for is nearly always among the last: an index would cost each end of a task more than it saves.
    private static let endedTasks = """
        CREATE TABLE ended_tasks (
            number INTEGER PRIMARY KEY,
            task_id INTEGER NOT NULL,
            record BLOB NOT NULL,
            path TEXT,
            is_discarded INTEGER NOT NULL DEFAULT 0
        ) STRICT;

        """

    // MARK: The first version

    // Rows of `tasks` are small, because SQLite rewrites a whole row at each change: large values that hardly
    // ever change are in `task_details`.
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
    // Triggers keep the counts, so that rows are never counted.
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
            next_task_identifier INTEGER NOT NULL DEFAULT 1,
            next_sequence INTEGER NOT NULL DEFAULT 1,
            suspended_count INTEGER NOT NULL DEFAULT 0,
            waiting_count INTEGER NOT NULL DEFAULT 0,
            completed_count INTEGER NOT NULL DEFAULT 0,
            event_count INTEGER NOT NULL DEFAULT 0,
            avoids INTEGER NOT NULL DEFAULT 0,
            UNIQUE (application_id, identifier)
        ) STRICT;

        CREATE TABLE tasks (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
            application_id INTEGER NOT NULL,
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
            UNIQUE (session_id, identifier)
        ) STRICT;

        CREATE TABLE task_details (
            task_id INTEGER PRIMARY KEY REFERENCES tasks (id) ON DELETE CASCADE,
            request BLOB NOT NULL,
            current_request BLOB,
            response BLOB,
            last_error BLOB,
            upload BLOB,
            delay BLOB,
            options BLOB,
            link BLOB
        ) STRICT;

        CREATE TABLE events (
            session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
            sequence INTEGER NOT NULL,
            task_id INTEGER NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
            kind INTEGER NOT NULL,
            payload BLOB NOT NULL,
            created_at REAL NOT NULL,
            PRIMARY KEY (session_id, sequence)
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

        CREATE TABLE settings (
            name TEXT PRIMARY KEY,
            value BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;

        """

    private static let indexes = """
        CREATE INDEX sessions_avoiding ON sessions (avoids) WHERE avoids > 0;

        CREATE INDEX tasks_by_state ON tasks (state);
        CREATE INDEX tasks_of_application ON tasks (application_id, state);
        CREATE INDEX tasks_of_session ON tasks (session_id, state);
        CREATE INDEX tasks_delayed ON tasks (not_before)
            WHERE state = 1 AND not_before IS NOT NULL;
        CREATE INDEX tasks_with_deadline ON tasks (deadline)
            WHERE state <> 2 AND deadline IS NOT NULL;
        CREATE INDEX tasks_ready ON tasks (host, session_id, avoids, priority DESC)
            WHERE state = 1 AND not_before IS NULL;
        CREATE INDEX tasks_with_date ON task_details (task_id) WHERE delay IS NOT NULL;

        CREATE INDEX events_of_task ON events (task_id);

        CREATE INDEX host_queues_ready ON host_queues (application_id, host) WHERE ready_count > 0;
        CREATE INDEX host_queues_avoiding ON host_queues (avoids) WHERE avoids > 0;

        """

    // What belongs to a deleted row is deleted by triggers and by the functions that delete, not by foreign keys,
    // which are off; REFERENCES in the tables say what belongs to what.
    //
    // All that changes more than one row says OR FAIL. Without it, and with foreign keys, SQLite would copy every
    // page before a statement changes it, to be able to undo a failed statement alone. A commit undoes the whole
    // request instead (`Database.commit`).
    //
    // A list after IN would be a table of its own for each statement, from three elements on.
    private static let triggers =
        """
        CREATE TRIGGER task_inserted AFTER INSERT ON tasks BEGIN
            UPDATE OR FAIL sessions SET
                next_task_identifier = max(next_task_identifier, NEW.identifier + 1),
                suspended_count = suspended_count + \(isSuspended("NEW")),
                waiting_count = waiting_count + (NEW.state = 1),
                completed_count = completed_count + (NEW.state = 2)
            WHERE id = NEW.session_id;
            \(enterQueue)
        END;

        CREATE TRIGGER task_deleted AFTER DELETE ON tasks BEGIN
            UPDATE OR FAIL sessions SET
                suspended_count = suspended_count - \(isSuspended("OLD")),
                waiting_count = waiting_count - (OLD.state = 1),
                completed_count = completed_count - (OLD.state = 2)
            WHERE id = OLD.session_id;
            \(leaveQueue)
            DELETE FROM task_details WHERE task_id = OLD.id;
            DELETE FROM events WHERE task_id = OLD.id;
        END;

        CREATE TRIGGER task_moved AFTER UPDATE OF state, not_before, avoids ON tasks
        WHEN OLD.state <> NEW.state OR (OLD.not_before IS NULL) <> (NEW.not_before IS NULL)
            OR OLD.avoids <> NEW.avoids
        BEGIN
            UPDATE OR FAIL sessions SET
                suspended_count = suspended_count + \(isSuspended("NEW")) - \(isSuspended("OLD")),
                waiting_count = waiting_count + (NEW.state = 1) - (OLD.state = 1),
                completed_count = completed_count + (NEW.state = 2) - (OLD.state = 2)
            WHERE id = NEW.session_id AND OLD.state <> NEW.state;
            \(enterQueue)
            \(leaveQueue)
        END;

        CREATE TRIGGER event_inserted AFTER INSERT ON events BEGIN
            UPDATE OR FAIL sessions SET
                next_sequence = NEW.sequence + 1,
                event_count = event_count + 1
            WHERE id = NEW.session_id;
        END;

        CREATE TRIGGER event_deleted AFTER DELETE ON events BEGIN
            UPDATE OR FAIL sessions SET event_count = event_count - 1 WHERE id = OLD.session_id;
        END;

        """

    private static func isSuspended(_ row: String) -> String {
        "(\(row).state <> 1 AND \(row).state <> 2)"
    }

    private static let enterQueue = """
        INSERT OR FAIL INTO host_queues
            (host, session_id, avoids, application_id, waiting_count, ready_count)
        SELECT NEW.host, NEW.session_id, NEW.avoids, NEW.application_id, 0, 0
        WHERE NEW.state = 1
        ON CONFLICT DO NOTHING;
        UPDATE OR FAIL host_queues SET
            waiting_count = waiting_count + 1,
            ready_count = ready_count + (NEW.not_before IS NULL)
        WHERE host = NEW.host AND session_id = NEW.session_id AND avoids = NEW.avoids
            AND NEW.state = 1;
        """

    private static let leaveQueue = """
        UPDATE OR FAIL host_queues SET
            waiting_count = waiting_count - 1,
            ready_count = ready_count - (OLD.not_before IS NULL)
        WHERE host = OLD.host AND session_id = OLD.session_id AND avoids = OLD.avoids
            AND OLD.state = 1;
        DELETE FROM host_queues
        WHERE host = OLD.host AND session_id = OLD.session_id AND avoids = OLD.avoids
            AND waiting_count = 0;
        """
}
