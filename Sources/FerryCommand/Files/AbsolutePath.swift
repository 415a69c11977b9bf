@preconcurrency import Glibc

/// The place of a file, whatever the working directory is.
///
/// Foundation's URLs read a `~` as a home. Here it is a name like any other: the shell has replaced each one that
/// was not quoted.
struct AbsolutePath: Hashable, Sendable {
    private let components: [Substring]

    /// Creates a place.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - workingDirectory: The absolute path of the directory from which a relative one begins.
    init(_ path: String, in workingDirectory: String) {
        let whole = path.utf8.first == UInt8(ascii: "/") ? path : "\(workingDirectory)/\(path)"
        var components: [Substring] = []
        // By bytes: a slash with an accent is another character, but still a slash to the kernel.
        for bytes in whole.utf8.split(separator: UInt8(ascii: "/")) {
            switch Substring(bytes) {
            case ".": continue
            case "..": _ = components.popLast()
            case let name: components.append(name)
            }
        }
        self.components = components
    }

    /// The path, without a slash at its end.
    var text: String { Self.text(of: components[...]) }

    /// The path of the directory that the file is in.
    var directory: String { Self.text(of: components.dropLast()) }

    /// The name of the file; empty for the root.
    var name: String { components.last.map(String.init) ?? "" }

    /// Whether there is a directory at the place.
    var isDirectory: Bool {
        var status = stat()
        return stat(text, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func text(of components: ArraySlice<Substring>) -> String {
        "/" + components.joined(separator: "/")
    }
}

extension Arguments {
    /// The place that a path in the arguments means.
    ///
    /// - Parameter path: The path as it was typed.
    /// - Returns: The place.
    /// - Throws: ``UsageError`` when it begins from a working directory that cannot be named.
    func place(_ path: String) throws(UsageError) -> AbsolutePath {
        if path.utf8.first == UInt8(ascii: "/") { return AbsolutePath(path, in: "/") }
        return AbsolutePath(path, in: try workingDirectory())
    }

    private func workingDirectory() throws(UsageError) -> String {
        guard let path = getcwd(nil, 0) else {
            throw error(
                "the working directory cannot be used: \(String(cString: strerror(errno)))."
            )
        }
        defer { free(path) }
        let bytes = UnsafeBufferPointer(start: path, count: strlen(path))
            .map { UInt8(bitPattern: $0) }
        guard let text = KernelText.text(bytes) else {
            throw error(
                "the working directory '\(KernelText.escaped(bytes))' has a name that is not UTF-8, which "
                    + "cannot be kept. Rename it, or name another directory by its whole path."
            )
        }
        return text
    }
}
