import Glibc

/// What the kernel says that a process does.
package enum ProcessCondition {
    /// Whether a process was stopped by a signal or a debugger; `false` where nothing can be known.
    package static func isStopped(_ process: Int32) -> Bool {
        guard process > 0, let directory = try? Directory(opening: "/proc/\(process)"),
            let bytes = try? directory.open("stat", .read).readToEnd(limit: 4096)
        else { return false }
        // proc_pid_stat(5): the name stands in parentheses and may have any character, the state follows it.
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.lastIndex(of: ")") else { return false }
        let state = text[text.index(after: end)...].first { $0 != " " }
        return state == "T" || state == "t"
    }
}
