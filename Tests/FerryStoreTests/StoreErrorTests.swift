import FerrySystem
import Glibc
import Testing

@testable import FerryStore

@Suite(.timeLimit(.minutes(5)))
struct StoreErrorTests {
    // Result codes: https://sqlite.org/rescode.html
    @Test(
        arguments: [
            (13, 0, StoreError.Code.diskFull),  // FULL
            (778, EDQUOT, .diskFull),  // IOERR_WRITE
            (778, EIO, .inputOutput),
            (1034, EIO, .inputOutput),  // IOERR_FSYNC
            (3082, 0, .outOfMemory),  // IOERR_NOMEM
            (7, 0, .outOfMemory),  // NOMEM
            (8, EROFS, .inputOutput),  // READONLY
            (11, 0, .corrupt),  // CORRUPT
            (267, 0, .corrupt),  // CORRUPT_VTAB
            (26, 0, .corrupt),  // NOTADB
            (5, 0, .inUse),  // BUSY
            (261, 0, .inUse),  // BUSY_RECOVERY
            (6, 0, .inUse),  // LOCKED
            (14, EACCES, .cannotOpen),  // CANTOPEN
            (2067, 0, .conflict),  // CONSTRAINT_UNIQUE
            (787, 0, .conflict),  // CONSTRAINT_FOREIGNKEY
            (1, 0, .internalFailure),  // ERROR
            (21, 0, .internalFailure),  // MISUSE
        ] as [(Int32, Int32, StoreError.Code)]
    )
    func `a result code has its class`(sqlite: Int32, errno: Int32, code: StoreError.Code) {
        let error = StoreError(
            sqliteCode: sqlite,
            detail: "the detail",
            path: "/p/ferry.sqlite",
            systemErrno: errno
        )
        #expect(error.code == code)
        #expect(error.sqliteCode == sqlite)
        #expect(error.message.contains("the detail"))
        #expect(error.description == error.message)
    }

    @Test(
        arguments: [
            (ENOSPC, StoreError.Code.diskFull), (EDQUOT, .diskFull), (EIO, .inputOutput),
            (EACCES, .cannotOpen), (EROFS, .cannotOpen), (ELOOP, .cannotOpen),
        ] as [(Int32, StoreError.Code)]
    )
    func `a system call's failure has its class`(errno: Int32, code: StoreError.Code) {
        let cause = SystemCallError(call: "openat", errno: errno, subject: "/p/ferry.sqlite")
        let error = StoreError(cause, path: "/p/ferry.sqlite")
        #expect(error.code == code)
        #expect(error.message.contains("/p/ferry.sqlite"))
        #expect(error.message.contains(cause.description))
    }

    @Test(arguments: StoreError.Code.allCases)
    func `every message gives the reason`(code: StoreError.Code) {
        let message = StoreError.message(for: code, path: "/p/ferry.sqlite", reason: "a reason")
        #expect(message.contains("a reason"))
        #expect(message.hasSuffix("."))
    }
}
