import CAtspi
import Foundation
import HalfTunesTestSupport

/// A screen that nobody sees, with a bus, for all tests of this process.
///
/// What is on it is read as screen readers do, by the accessibility bus. libatspi speaks with it in turn,
/// so everything goes through this actor.
actor Desktop {
    static let shared = Desktop()

    private var variables: [String: String] = [:]
    private var directory: TestDirectory?

    /// The environment variables by which apps find it; starts it the first time.
    func environment() throws -> [String: String] {
        guard variables.isEmpty else { return variables }
        let directory = try TestDirectory()
        self.directory = directory
        let display = try DesktopPrograms.start(
            "Xvfb",
            "-displayfd",
            "1",
            "-screen",
            "0",
            "1024x768x24",
            directory: directory.url
        )
        let bus = try DesktopPrograms.start(
            "dbus-daemon",
            "--session",
            "--nofork",
            "--print-address",
            directory: directory.url
        )
        variables = [
            "DISPLAY": ":\(display)", "DBUS_SESSION_BUS_ADDRESS": bus, "GDK_BACKEND": "x11",
            "GSK_RENDERER": "cairo", "GSETTINGS_BACKEND": "memory", "LANG": "en_US.UTF-8",
            "LANGUAGE": "en", "PATH": "/usr/bin:/bin",
            "HALF_TUNES_AUDIO_SINK": "fakesink sync=true",
        ]
        for name in ["DISPLAY", "DBUS_SESSION_BUS_ADDRESS"] {
            setenv(name, variables[name] ?? "", 1)
        }
        atspi_init()
        // The copies of libatspi are renewed by a main loop, which nobody runs here.
        atspi_accessible_set_cache_mask(atspi_get_desktop(0), ATSPI_CACHE_NONE)
        return variables
    }

    /// What can be read on the screen; empty when there is no app.
    func elements() -> [Element] {
        guard let app else { return [] }
        var found: [Element] = []
        read(app, depth: 0, into: &found)
        return found
    }

    /// Presses a button.
    ///
    /// - Parameters:
    ///   - name: The button's name.
    ///   - place: The name of what it is in, such as a row.
    /// - Returns: Whether it was there.
    func press(_ name: String, in place: String? = nil) -> Bool {
        guard let app, let root = place.map({ find($0, in: app) }) ?? app,
            let button = find(name, role: ATSPI_ROLE_PUSH_BUTTON, in: root)
        else { return false }
        return atspi_action_do_action(atspi_accessible_get_action_iface(button), 0, nil) != 0
    }

    /// Writes a text into an entry, in place of what is there.
    func write(_ text: String, into name: String) -> Bool {
        guard let app, let entry = find(name, role: ATSPI_ROLE_ENTRY, in: app) else { return false }
        let editable = atspi_accessible_get_editable_text_iface(entry)
        return atspi_editable_text_set_text_contents(editable, text, nil) != 0
    }

    /// Keeps what the screen shows, for people to look at.
    func keepPicture(_ name: String) throws {
        let directory = URL(fileURLWithPath: Products.path(of: "screenshots"))
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/import")
        process.arguments = ["-window", "root", directory.appending(path: "\(name).png").path]
        try process.run()
        process.waitUntilExit()
    }

    private var app: UnsafeMutablePointer<AtspiAccessible>? {
        guard let desktop = atspi_get_desktop(0) else { return nil }
        let count = atspi_accessible_get_child_count(desktop, nil)
        for index in 0..<max(0, count) {
            guard let child = atspi_accessible_get_child_at_index(desktop, index, nil) else {
                continue
            }
            if text(atspi_accessible_get_name(child, nil)) == "half-tunes" { return child }
        }
        return nil
    }

    private func children(
        of parent: UnsafeMutablePointer<AtspiAccessible>
    ) -> [UnsafeMutablePointer<AtspiAccessible>] {
        // Each look costs a call over the bus, and these have much in them that no test reads.
        let role = atspi_accessible_get_role(parent, nil)
        guard role != ATSPI_ROLE_PAGE_TAB_LIST, role != ATSPI_ROLE_SCROLL_BAR else { return [] }
        let count = max(0, atspi_accessible_get_child_count(parent, nil))
        return (0..<count).compactMap { atspi_accessible_get_child_at_index(parent, $0, nil) }
    }

    private func read(
        _ accessible: UnsafeMutablePointer<AtspiAccessible>,
        depth: Int,
        into found: inout [Element]
    ) {
        guard depth < 40 else { return }
        let name = text(atspi_accessible_get_name(accessible, nil))
        if !name.isEmpty {
            found.append(
                Element(role: text(atspi_accessible_get_role_name(accessible, nil)), name: name)
            )
        }
        for child in children(of: accessible) { read(child, depth: depth + 1, into: &found) }
    }

    private func find(
        _ name: String,
        role: AtspiRole? = nil,
        in root: UnsafeMutablePointer<AtspiAccessible>
    ) -> UnsafeMutablePointer<AtspiAccessible>? {
        let isRole = role.map { atspi_accessible_get_role(root, nil) == $0 } ?? true
        if isRole, text(atspi_accessible_get_name(root, nil)) == name { return root }
        for child in children(of: root) {
            if let found = find(name, role: role, in: child) { return found }
        }
        return nil
    }

    /// A string that the caller owns.
    private func text(_ owned: UnsafeMutablePointer<CChar>?) -> String {
        guard let owned else { return "" }
        defer { g_free(owned) }
        return String(cString: owned)
    }
}
