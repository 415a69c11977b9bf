import Foundation
import HalfTunesTestSupport

/// A screen that nobody sees, with its buses and notifications: one test's own.
final class Desktop: Sendable {
    /// Tells when anything may look different.
    let changes = Changes()
    let notifications = Notifications()
    let fileManager = FileManagerService()
    /// By which apps find it.
    let environment: [String: String]

    private let server: DesktopProgram
    private let bus: DesktopProgram
    private let directory: TestDirectory
    private let screen: Screen
    private let sessionBus: MessageBus
    private let accessibilityBus: MessageBus

    init() throws {
        directory = try TestDirectory()
        let server = try DesktopProgram(
            "Xvfb",
            // It would begin anew with each last program that leaves, whoever comes just then.
            ["-displayfd", "1", "-noreset", "-screen", "0", "1024x768x24"],
            directory: directory.url
        )
        let display = ":\(server.greeting)"
        let bus = try DesktopProgram(
            "dbus-daemon",
            ["--session", "--nofork", "--print-address"],
            directory: directory.url,
            environment: ["DISPLAY": display]
        )
        self.server = server
        self.bus = bus
        environment = [
            "DISPLAY": display, "DBUS_SESSION_BUS_ADDRESS": bus.greeting, "GDK_BACKEND": "x11",
            "GSK_RENDERER": "cairo", "GSETTINGS_BACKEND": "memory", "LANG": "C.UTF-8",
            "LANGUAGE": "en", "PATH": "/usr/bin:/bin",
            "HALF_TUNES_AUDIO_SINK": "fakesink sync=true",
        ]
        screen = try Screen(display)
        sessionBus = try MessageBus(address: bus.greeting)
        let place = "org.a11y.Bus"
        let address = try sessionBus.call(place, "/org/a11y/bus", "GetAddress", in: place)
        accessibilityBus = try MessageBus(address: address[0].text)
        screen.follow(changes)
        try followApps()
        try notifications.serve(sessionBus, changes)
    }

    /// Starts its file manager.
    func startFileManager() throws {
        try fileManager.serve(sessionBus, changes)
    }

    private func followApps() throws {
        let changes = changes
        accessibilityBus.filter { message in
            if message.isSignal { changes.record() }
            return nil
        }
        try accessibilityBus.callBus("AddMatch", .tuple(.string("type='signal'")))
    }

    /// The app on it; nil when there is none.
    private func app() throws -> Accessible? {
        let registry = Accessible(
            bus: accessibilityBus,
            owner: "org.a11y.atspi.Registry",
            path: "/org/a11y/atspi/accessible/root"
        )
        return try registry.children().first
    }

    /// Whether something of a name can be read on it.
    func shows(_ name: String, role: Role? = nil) -> Bool {
        shows { $0 == name && (role == nil || $1 == role) }
    }

    /// Whether there is something on it of which a condition holds.
    func shows(where condition: (String, Role) -> Bool) -> Bool {
        finds { _, role, name in condition(name, role) }
    }

    /// Presses a button, or chooses what a menu offers.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - place: The name of what it is in, such as a row.
    /// - Returns: Whether it was there.
    func press(_ name: String, in place: String? = nil) -> Bool {
        // GTK 4.8 says the label of a dialog's button twice.
        let names = [name, "\(name) \(name)"]
        // A button of a menu is two with one name, of which the inner one can be pressed.
        return finds(in: place) { element, role, found in
            (role == .button || role == .menuItem) && names.contains(found)
                && (try? element.press()) != nil
        }
    }

    /// Writes a text into an entry, in place of what is there.
    ///
    /// - Returns: Whether it was there.
    func write(_ text: String, into name: String) -> Bool {
        finds { element, role, found in
            role == .entry && found == name && (try? element.write(text)) != nil
        }
    }

    /// Where the right edge of a button is in the window, in pixels; nil when it is not there.
    func right(of name: String, in place: String? = nil) throws -> Int32? {
        var edge: Int32?
        _ = finds(in: place) { element, role, found in
            guard role == .button, found == name else { return false }
            edge = try? element.rightEdge()
            return true
        }
        return edge
    }

    /// Ends the screen, and leaves the bus, as when nobody is logged in any more.
    func loseScreen() {
        server.end()
    }

    /// Gives the window another size, in pixels.
    func resize(width: UInt32, height: UInt32) {
        screen.resizeWindows(width: width, height: height)
    }

    private func finds(
        in place: String? = nil,
        where condition: (Accessible, Role, String) -> Bool
    ) -> Bool {
        // An app that ends meanwhile does not answer, and shows nothing.
        guard let app = try? app() else { return false }
        let root = place.map { place in try? app.first { $2 == place } } ?? app
        return (try? root?.first(where: condition)) != nil
    }

    /// Keeps what it shows, for people to look at.
    func keepPicture(_ name: String) throws {
        let pictures = URL(fileURLWithPath: Products.path(of: "screenshots"))
        try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
        let picture = pictures.appending(path: "\(name).png").path
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/import")
        process.arguments = ["-window", "root", picture]
        process.environment = environment
        try process.start()
        process.waitUntilExit()
    }
}
