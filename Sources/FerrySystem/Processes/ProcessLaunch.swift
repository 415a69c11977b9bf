import CFerryLinux
import Glibc

/// A program to start, with everything that it inherits.
package struct ProcessLaunch: Sendable {
    /// The executable's absolute path.
    package var executable: String
    /// The arguments without the program's name.
    package var arguments: [String]
    /// All environment variables; nothing else is inherited.
    package var environment: [String: String]
    /// The working directory; `nil` keeps this process's.
    package var directory: String?
    /// The program's descriptor for each of this process's; all others are closed.
    package var descriptors: [Int32: Int32]
    /// Whether the program gets its own session, apart from this process's terminal.
    package var inNewSession: Bool
    /// The attributes of the program, in place of this process's own; `nil` keeps those.
    package var attributes: ProcessAttributes?

    package init(
        executable: String,
        arguments: [String] = [],
        environment: [String: String] = ProcessEnvironment.current,
        directory: String? = nil,
        descriptors: [Int32: Int32] = [:],
        inNewSession: Bool = false,
        attributes: ProcessAttributes? = nil
    ) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
        self.directory = directory
        self.descriptors = descriptors
        self.inNewSession = inNewSession
        self.attributes = attributes
    }

    /// Starts the program; descriptors 0, 1 and 2 are `/dev/null` unless they are given.
    ///
    /// No signal is blocked or ignored in it, whatever this process does.
    ///
    /// - Returns: The process's identifier, when the program runs.
    /// - Throws: The call that failed; `execve` with the executable's path, `chdir` with the
    ///   directory's.
    package func start() throws(SystemCallError) -> Int32 {
        // Numbers from here on are free in the child: a target may be another one's source.
        let firstClosed = max(descriptors.values.max() ?? 2, 2) + 1
        var copies: [Int32] = []
        defer { for copy in copies { close(copy) } }
        let pairs = descriptors.sorted { $0.key < $1.key }
        for (source, _) in pairs {
            copies.append(try systemCall("fcntl") { fcntl(source, F_DUPFD_CLOEXEC, firstClosed) })
        }
        return try start(copies, as: pairs.map(\.value), firstClosed: firstClosed)
    }

    private func start(
        _ copies: [Int32],
        as targets: [Int32],
        firstClosed: Int32
    ) throws(SystemCallError) -> Int32 {
        var argv = ([executable] + arguments).map { strdup($0) } + [nil]
        var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var options = CFerryLinux_LaunchOptions(
            descriptorCount: targets.count,
            firstClosed: firstClosed,
            inNewSession: inNewSession ? 1 : 0,
            fileModeMask: attributes.map { Int32($0.fileModeMask) } ?? -1,
            descriptorLimit: attributes?.descriptorLimit ?? -1
        )
        var failure = CFerryLinux_LaunchFailure()
        let process = CFerryLinux_launch(
            &argv,
            &envp,
            directory,
            copies,
            targets,
            &options,
            &failure
        )
        guard process > 0 else { throw error(failure) }
        return process
    }

    private func error(_ failure: CFerryLinux_LaunchFailure) -> SystemCallError {
        let call = withUnsafeBytes(of: failure.call) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        let subject = call == "chdir" ? directory : call == "execve" ? executable : nil
        return SystemCallError(call: call, errno: failure.code, subject: subject ?? "")
    }
}
