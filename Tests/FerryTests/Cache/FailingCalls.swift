import Glibc

@testable import FerrySystem

/// System calls that fail on one thread, by a filter of seccomp(2), which ends with the thread.
enum FailingCalls {
    /// What fails.
    enum Call: UInt32 {
        #if arch(x86_64)
        case fsync = 74
        case getdents64 = 217
        case openat = 257
        case unlinkat = 263
        /// Also renameat2(2) without flags: the C library then makes this call.
        case renameat = 264
        #else
        case unlinkat = 35
        case renameat = 38
        case openat = 56
        case getdents64 = 61
        case fsync = 82
        #endif
    }

    /// An instruction of the filter (struct sock_filter).
    private struct Instruction {
        var code: UInt16
        var jumpIfTrue: UInt8 = 0
        var jumpIfFalse: UInt8 = 0
        var value: UInt32
    }

    /// The filter (struct sock_fprog).
    private struct Program {
        var count: UInt16
        var instructions: UnsafePointer<Instruction>?
    }

    private typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32

    /// Does work on a thread of its own, on which all calls of a kind fail.
    static func perform(
        _ call: Call,
        failingWith error: Int32,
        _ work: @escaping @Sendable () throws -> Void
    ) async throws {
        try await BlockingQueue(label: "test").run { () throws -> Void in
            try install(call, error)
            try work()
        }
    }

    private static func install(_ call: Call, _ error: Int32) throws {
        // prctl(2) has a variable number of arguments, so Swift does not have it.
        let control: Control = try DynamicLibrary(name: "libc.so.6").function("prctl")
        try systemCall("prctl") { control(38, 1, 0, 0, 0) }  // PR_SET_NO_NEW_PRIVS
        let filter = [
            Instruction(code: 0x20, value: 0),  // Load the number of the call.
            Instruction(code: 0x15, jumpIfFalse: 1, value: call.rawValue),
            Instruction(code: 0x06, value: 0x5_0000 | UInt32(error)),  // SECCOMP_RET_ERRNO
            Instruction(code: 0x06, value: 0x7fff_0000),  // SECCOMP_RET_ALLOW
        ]
        try filter.withUnsafeBufferPointer { filter in
            let program = Program(count: UInt16(filter.count), instructions: filter.baseAddress)
            _ = try withUnsafePointer(to: program) { program in
                // PR_SET_SECCOMP, SECCOMP_MODE_FILTER
                try systemCall("prctl") { control(22, 2, UInt(bitPattern: program), 0, 0) }
            }
        }
    }
}
