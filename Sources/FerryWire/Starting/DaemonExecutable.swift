import FerrySystem
@preconcurrency import Glibc

/// The location of the program ferryd.
package enum DaemonExecutable {
    /// The program's name.
    private static let name = "ferryd"
    /// The environment variable with its path, for programs that include their own.
    private static let variable = "FERRY_DAEMON"
    /// The directories where packages put it: it is not a command for people.
    private static let installed = [
        "/usr/local/bin", "/usr/local/libexec/ferry", "/usr/bin", "/usr/libexec/ferry",
    ]
    /// The directory where `make install` puts it, below the user's home.
    private static let installedForUser = ".local/bin"

    /// Finds the program.
    ///
    /// `FERRY_DAEMON` decides if it is set. Otherwise the search covers the directory of this process's executable,
    /// `PATH`, `~/.local/bin`, and the directories where packages put it. A program that another user could replace
    /// is not used.
    ///
    /// - Throws: ``DaemonError/executableNotFound(searched:)``, ``DaemonError/unsafeExecutable(path:)``.
    package static func find(environment: [String: String]) throws(DaemonError) -> String {
        let candidates = candidates(environment: environment)
        let programs = candidates.filter(isExecutable)
        if let found = programs.first(where: ProgramOwnership.isTrusted) { return found }
        if let unsafe = programs.first { throw .unsafeExecutable(path: unsafe) }
        throw .executableNotFound(searched: candidates)
    }

    /// Returns the paths to search, in order.
    static func candidates(environment: [String: String]) -> [String] {
        // A wrong path must not lead to another program.
        if let path = environment[variable], !path.isEmpty { return [path] }
        let search = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let own = ownDirectory().map { [$0] } ?? []
        let home = BaseDirectories(environment: environment).home
        let directories =
            own + search.filter { $0.hasPrefix("/") } + ["\(home)/\(installedForUser)"] + installed
        var seen: Set<String> = []
        return directories.filter { seen.insert($0).inserted }.map { "\($0)/\(name)" }
    }

    private static func isExecutable(_ path: String) -> Bool {
        var status = stat()
        return path.hasPrefix("/") && stat(path, &status) == 0
            && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    private static func ownDirectory() -> String? {
        ownExecutable().flatMap { path in path.lastIndex(of: "/").map { String(path[..<$0]) } }
    }

    private static func ownExecutable() -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let base = buffer.baseAddress else { return nil }
            let count = readlink("/proc/self/exe", base, buffer.count)
            guard count > 0 else { return nil }
            return String(
                decoding: buffer[..<count].map(UInt8.init(bitPattern:)),
                as: UTF8.self
            )
        }
    }
}
