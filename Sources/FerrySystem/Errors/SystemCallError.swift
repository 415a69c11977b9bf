import CFerryLinux
import Glibc

#if DEBUG
package import Synchronization

/// Called before each system call, with the call and its subject.
///
/// They are for tests of the order of calls. Tests run at the same time, so each has an observer of its own, by an object
/// or a type of its own.
package let systemCallObservers = Mutex<
    [ObjectIdentifier: @Sendable (_ call: String, _ subject: String) -> Void]
>([:])
#endif

/// A system call that failed.
package struct SystemCallError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The call's name, as in its manual page.
    package var call: String
    /// The value of `errno` right after the call.
    package var errno: Int32
    /// The subject of the call, such as a path; empty if there is none.
    package var subject: String

    package init(call: String, errno: Int32, subject: String = "") {
        self.call = call
        self.errno = errno
        self.subject = subject
    }

    /// The error's text, such as "No such file or directory".
    package var reason: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let base = buffer.baseAddress, strerror_r(errno, base, buffer.count) == 0 else {
                return "error \(errno)"
            }
            return String(cString: base)
        }
    }

    /// The error's symbol, such as "ENOENT".
    package var symbol: String {
        CFerryLinux_errorName(errno).map { String(cString: $0) } ?? "errno \(errno)"
    }

    /// Whether the process or the system lacks descriptors, memory or processes for the moment: the same call may
    /// succeed later.
    package var isShortage: Bool {
        switch errno {
        case EMFILE, ENFILE, ENOMEM, ENOBUFS, EAGAIN: true
        default: false
        }
    }

    /// The call, its subject, and why it failed.
    package var description: String {
        let about = subject.isEmpty ? "" : " \(subject)"
        return "\(call)\(about): \(reason) (\(symbol))"
    }
}

/// Runs a system call, and repeats it when a signal interrupts it.
///
/// - Throws: ``SystemCallError`` with the value of `errno` if the call returns -1.
@discardableResult
package func systemCall<T: FixedWidthInteger & SignedInteger>(
    _ name: String,
    _ subject: @autoclosure () -> String = "",
    _ body: () -> T
) throws(SystemCallError) -> T {
    #if DEBUG
    for observer in systemCallObservers.withLock({ $0.values }) { observer(name, subject()) }
    #endif
    while true {
        let result = body()
        if result != -1 { return result }
        let code = errno
        if code != EINTR {
            throw SystemCallError(call: name, errno: code, subject: subject())
        }
    }
}
