package import Foundation

/// A home for the ferryd of these tests, so that the user's is left alone.
package enum TestDaemon {
    /// Directs what this process opens from now on there; once.
    package static let home: TestDirectory? = {
        guard let directory = try? TestDirectory() else { return nil }
        let run = directory.url.appending(component: "run")
        try? FileManager.default.createDirectory(
            at: run,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        setenv("HOME", directory.url.path, 1)
        setenv("XDG_RUNTIME_DIR", run.path, 1)
        for name in ["XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"] {
            unsetenv(name)
        }
        setenv("FERRY_DAEMON", Products.path(of: "ferryd"), 1)
        atexit { TestDaemon.stop() }
        return directory
    }()

    /// Stops ferryd, which would try for ever to finish what the tests have left.
    private static func stop() {
        // This process would start it again.
        setenv("FERRY_DAEMON", "/nonexistent", 1)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Products.path(of: "ferry"))
        process.arguments = ["daemon", "stop"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.start()) != nil else { return }
        process.waitUntilExit()
    }
}

extension Process {
    /// Starts it as a person's shell does: with all signals as they are by default.
    ///
    /// The threads that run tests block signals, and programs inherit that. A desktop's programs would not end
    /// when they are asked to.
    package func start() throws {
        var (none, own) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &own)
        defer { pthread_sigmask(SIG_SETMASK, &own, nil) }
        try run()
    }
}

/// The programs of this package, built beside the tests.
package enum Products {
    /// The absolute path of a program.
    package static func path(of name: String) -> String {
        // The program that runs tests is the toolchain's, and gets the bundle that holds them.
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? ""
        return URL(fileURLWithPath: bundle).deletingLastPathComponent()
            .appending(component: name).path
    }
}
