import Foundation
import HalfTunesTestSupport
import Synchronization
import Testing

/// One of the apps on a desktop, with a home and a catalog of its own.
final class TestApp: Sendable {
    private let program: String
    let desktop: Desktop
    let trial: TrialCatalog
    private let home: TestDirectory
    private let variables: [String: String]
    private let launched = Mutex<[Process]>([])

    /// Makes its home, its desktop and a catalog.
    ///
    /// - Parameters:
    ///   - program: The app's program.
    ///   - rate: The catalog's, in bytes per second.
    ///   - catalog: Where the app looks for the catalog; nil for where it is.
    ///   - buttons: Those of its window.
    ///   - environment: Variables of its own.
    /// - Throws: what Foundation does when a program cannot be started.
    init(
        _ program: String,
        rate: Int,
        catalog: String? = nil,
        buttons: String = ":close",
        environment: [String: String] = [:]
    ) throws {
        self.program = program
        desktop = try Desktop()
        trial = try TrialCatalog(rate: rate)
        home = try TestDirectory()
        try FileManager.default.createDirectory(
            at: home.url.appending(component: "run"),
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        // Pictures show pages, and not one that turns into another; a window has the button that GNOME has.
        let settings =
            "[Settings]\ngtk-enable-animations=0\ngtk-decoration-layout=\(buttons)\n"
        try home.write(settings, to: ".config/gtk-4.0/settings.ini")
        let address = catalog ?? trial.address.absoluteString
        variables = desktop.environment.merging([
            "HOME": home.url.path, "XDG_RUNTIME_DIR": home.url.path + "/run",
            "FERRY_DAEMON": Products.path(of: "ferryd"),
            "HALF_TUNES_CATALOG": address,
            "BACKGROUND_TRANSFER_PICTURE": "\(address)/picture/evening.png",
            "CANCEL_AND_RESUME_PICTURES": "\(address)/picture/night.png",
        ]) { $1 }.merging(environment) { $1 }
    }

    /// Starts it, as a person does.
    func launch() throws -> Process {
        try start(Products.path(of: program))
    }

    /// Starts it where there is no network; the screen and the buses are files.
    func launchOffline() throws -> Process {
        try start(
            "/usr/bin/unshare",
            ["--map-root-user", "--net", Products.path(of: program)]
        )
    }

    private func start(_ path: String, _ arguments: [String] = []) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = variables
        process.standardError = FileHandle.nullDevice
        try process.start()
        launched.withLock { $0.append(process) }
        return process
    }

    /// Ends it, and then ferryd, which an app that runs would start again.
    func end() async throws {
        for process in launched.withLock({ $0 }) where process.isRunning {
            process.terminate()
            process.waitUntilExit()
        }
        _ = try await ferry("daemon", "stop")
    }

    /// Runs a program to its end, and returns what it wrote.
    func run(_ path: String, _ arguments: String...) async throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = variables
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.start()
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let data = output.fileHandleForReading.readDataToEndOfFile()
                continuation.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
    }

    /// Runs the `ferry` command.
    func ferry(_ command: String, _ argument: String) async throws -> String {
        try await run(Products.path(of: "ferry"), command, argument)
    }

    /// Kills ferryd without a warning.
    func killDaemon() async throws {
        let status = try await ferry("daemon", "status")
        let number = status.firstMatch(of: /process (\d+)/)?.1
        kill(try #require(number.flatMap { Int32($0) }), SIGKILL)
    }

    /// What ferryd has to do for it, without what it remembers of transfers that are over.
    func transfers() async throws -> String {
        let list = try await run(Products.path(of: "ferry"), "list", "--all", "--json")
        return list.split(separator: "\n").filter { !$0.contains(#""ended":""#) }
            .joined(separator: "\n")
    }

    /// Installs a program for folders, which says in a notification which one it was asked to show.
    func installFolderProgram() throws {
        let script = home.url.appending(component: "show").path
        let entry = "[Desktop Entry]\nType=Application\nName=Folders\nMimeType=inode/directory;\n"
        try home.write(
            entry + "Exec=/bin/sh \(script) %u\n",
            to: ".local/share/applications/folders.desktop"
        )
        let choice = "[Default Applications]\ninode/directory=folders.desktop\n"
        try home.write(choice, to: ".config/mimeapps.list")
        let notify = "/org/freedesktop/Notifications org.freedesktop.Notifications.Notify"
        let texts = #"string:Folders uint32:0 string: string:Folder "string:$1""#
        let command =
            "dbus-send --session --type=method_call --dest=org.freedesktop.Notifications \(notify) \(texts)"
        try home.write(command + "\n", to: "show")
    }

    /// What the app has filed at a path in the user's home; nil when it is not there.
    func filed(_ path: String) -> Data? {
        try? Data(contentsOf: home.url.appending(path: path))
    }
}
