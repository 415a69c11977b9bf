import FerrySystem
@preconcurrency import Glibc

/// Where the program ferryd is.
package enum DaemonExecutable {
    /// The program's name.
    private static let name = "ferryd"
    /// The variable that names it, for programs that bring their own.
    private static let variable = "FERRY_DAEMON"
    /// Where packages put it: it is not a command for people.
    private static let installed = ["/usr/local/libexec/ferry", "/usr/libexec/ferry"]

    /// Finds the program.
    ///
    /// `FERRY_DAEMON` settles it when it is set. Otherwise it is looked for beside this process's
    /// own executable, in `PATH`, in `/usr/local/libexec/ferry` and in `/usr/libexec/ferry`.
    ///
    /// - Throws: ``DaemonError/executableNotFound(searched:)``.
    package static func find(environment: [String: String]) throws(DaemonError) -> String {
        let candidates: [String]
        if let path = environment[variable], !path.isEmpty {
            // A wrong path must not be answered with another program.
            candidates = [path]
        } else {
            let search = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
            let own = ownDirectory().map { [$0] } ?? []
            let directories = own + search.filter { $0.hasPrefix("/") } + installed
            candidates = directories.map { "\($0)/\(name)" }
        }
        guard let found = candidates.first(where: isExecutable) else {
            throw .executableNotFound(searched: candidates)
        }
        return found
    }

    private static func isExecutable(_ path: String) -> Bool {
        var status = stat()
        return path.hasPrefix("/") && stat(path, &status) == 0
            && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    private static func ownDirectory() -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let base = buffer.baseAddress else { return nil }
            let count = readlink("/proc/self/exe", base, buffer.count)
            guard count > 0 else { return nil }
            let path = String(
                decoding: buffer[..<count].map(UInt8.init(bitPattern:)),
                as: UTF8.self
            )
            return path.lastIndex(of: "/").map { String(path[..<$0]) }
        }
    }
}
