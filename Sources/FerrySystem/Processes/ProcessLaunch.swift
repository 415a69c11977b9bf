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
    /// Which of this process's descriptors become which of the program's; all others are closed.
    package var descriptors: [Int32: Int32]
    /// Whether the program gets a session of its own, apart from this process's terminal.
    package var inNewSession: Bool

    package init(
        executable: String,
        arguments: [String] = [],
        environment: [String: String] = ProcessEnvironment.current,
        directory: String? = nil,
        descriptors: [Int32: Int32] = [:],
        inNewSession: Bool = false
    ) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
        self.directory = directory
        self.descriptors = descriptors
        self.inNewSession = inNewSession
    }

    /// Starts the program; descriptors 0, 1 and 2 are `/dev/null` unless they are given.
    ///
    /// - Throws: `posix_spawn` with the executable's path and the reason.
    package func start() throws(SystemCallError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Numbers from here on are free in the child: a target may be another one's source.
        let safe = max(descriptors.values.max() ?? 2, 2) + 1
        var copies: [(copy: Int32, target: Int32)] = []
        for (source, target) in descriptors.sorted(by: { $0.key < $1.key }) {
            let copy = try systemCall("fcntl") { fcntl(source, F_DUPFD_CLOEXEC, safe) }
            copies.append((copy, target))
        }
        defer { for entry in copies { close(entry.copy) } }
        for standard in Int32(0)...2 where !descriptors.values.contains(standard) {
            posix_spawn_file_actions_addopen(&actions, standard, "/dev/null", O_RDWR, 0)
        }
        for entry in copies {
            posix_spawn_file_actions_adddup2(&actions, entry.copy, entry.target)
        }
        if let directory { CFerryLinux_spawn_addchdir(&actions, directory) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        configure(&attributes)
        // What other libraries of this process have opened without O_CLOEXEC stays here.
        CFerryLinux_spawn_addclosefrom(&actions, safe)
        return try spawn(&actions, &attributes)
    }

    private func configure(_ attributes: inout posix_spawnattr_t) {
        var flags = Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)
        if inNewSession { flags |= Int16(CFerryLinux_POSIX_SPAWN_SETSID) }
        posix_spawnattr_setflags(&attributes, flags)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
    }

    private func spawn(
        _ actions: inout posix_spawn_file_actions_t,
        _ attributes: inout posix_spawnattr_t
    ) throws(SystemCallError) -> Int32 {
        let strings = [executable] + arguments
        var argv = strings.map { strdup($0) } + [nil]
        var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            for pointer in argv { free(pointer) }
            for pointer in envp { free(pointer) }
        }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, executable, &actions, &attributes, &argv, &envp)
        guard code == 0 else {
            throw SystemCallError(call: "posix_spawn", errno: code, subject: executable)
        }
        return identifier
    }
}
