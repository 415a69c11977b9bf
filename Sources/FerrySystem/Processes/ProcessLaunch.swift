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
        try withArguments { program throws(SystemCallError) in
            var failure = CFerryLinux_LaunchFailure()
            var options = program.options
            options.inNewSession = inNewSession ? 1 : 0
            let process = CFerryLinux_launch(
                program.arguments,
                program.environment,
                directory,
                program.sources,
                program.targets,
                &options,
                &failure
            )
            guard process > 0 else { throw error(failure) }
            return process
        }
    }

    /// Has the program take the place of this process and keep its number.
    ///
    /// Signals that it blocks or ignores stay so. It returns only if nothing has changed. A failure after that ends the process with
    /// status 127.
    ///
    /// - Throws: `fcntl`, if a descriptor cannot be passed on.
    package func replaceProcess() throws(SystemCallError) {
        try withArguments { program throws(SystemCallError) in
            var options = program.options
            options.inPlace = 1
            CFerryLinux_replaceProcess(
                program.arguments,
                program.environment,
                directory,
                program.sources,
                program.targets,
                &options
            )
        }
    }

    /// What the calls of C take.
    private struct Arguments {
        var arguments: [UnsafeMutablePointer<CChar>?]
        var environment: [UnsafeMutablePointer<CChar>?]
        var sources: [Int32]
        var targets: [Int32]
        var options: CFerryLinux_LaunchOptions
    }

    private func withArguments<Result>(
        _ body: (Arguments) throws(SystemCallError) -> Result
    ) throws(SystemCallError) -> Result {
        // Numbers from here on are free in the child: a target may be another one's source.
        let firstClosed = max(descriptors.values.max() ?? 2, 2) + 1
        var copies: [Int32] = []
        defer { for copy in copies { close(copy) } }
        let pairs = descriptors.sorted { $0.key < $1.key }
        for (source, _) in pairs {
            copies.append(try systemCall("fcntl") { fcntl(source, F_DUPFD_CLOEXEC, firstClosed) })
        }
        let argv = ([executable] + arguments).map { strdup($0) } + [nil]
        let envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        let options = CFerryLinux_LaunchOptions(
            descriptorCount: copies.count,
            firstClosed: firstClosed,
            inNewSession: 0,
            inPlace: 0,
            fileModeMask: attributes.map { Int32($0.fileModeMask) } ?? -1,
            descriptorLimit: attributes?.descriptorLimit ?? -1
        )
        return try body(
            Arguments(
                arguments: argv,
                environment: envp,
                sources: copies,
                targets: pairs.map(\.value),
                options: options
            )
        )
    }

    private func error(_ failure: CFerryLinux_LaunchFailure) -> SystemCallError {
        let call = withUnsafeBytes(of: failure.call) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        let subject = call == "chdir" ? directory : call == "execve" ? executable : nil
        return SystemCallError(call: call, errno: failure.code, subject: subject ?? "")
    }
}
