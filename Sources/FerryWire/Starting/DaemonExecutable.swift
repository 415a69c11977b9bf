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

    /// Returns whether a path leads to a program that may be run, and that no other user could replace.
    package static func isUsable(_ path: String) -> Bool {
        isExecutable(path) && ProgramOwnership.isTrusted(path)
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

/// Decides whose programs may be run.
enum ProgramOwnership {
    /// Whether only this user, root, and the owner of the running program can change or replace a program.
    ///
    /// It checks the program and its directory, and those that a link leads to.
    static func isTrusted(_ path: String) -> Bool {
        guard let real = realpath(path, nil) else { return false }
        defer { free(real) }
        let target = String(cString: real)
        let parents = Set([parent(of: path), parent(of: target)])
        return isOurs(target, isDirectory: false)
            && parents.allSatisfy { isOurs($0, isDirectory: true) }
    }

    private static func parent(of path: String) -> String {
        let parent = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        return parent.isEmpty ? "/" : String(parent)
    }

    private static func isOurs(_ path: String, isDirectory: Bool) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, owners.contains(status.st_uid) else { return false }
        // In a directory like /tmp, users cannot replace each other's files.
        let isSticky = isDirectory && status.st_mode & S_ISVTX != 0
        if status.st_mode & S_IWOTH != 0, !isSticky { return false }
        // Many systems give each user a group of the same number, and a mask that lets it write.
        let isGroupOwn = status.st_uid == 0 || status.st_gid == status.st_uid
        return status.st_mode & S_IWGRP == 0 || isGroupOwn || isSticky
    }

    /// The trusted owners; the owner of the running program can have it do anything already.
    private static var owners: Set<uid_t> {
        var status = stat()
        let own = stat("/proc/self/exe", &status) == 0 ? [status.st_uid] : []
        return Set([0, geteuid()] + own)
    }
}
