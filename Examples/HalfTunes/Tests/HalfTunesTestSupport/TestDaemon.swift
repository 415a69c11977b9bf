import Foundation

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
        return directory
    }()
}
