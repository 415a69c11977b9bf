@preconcurrency import Glibc

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
