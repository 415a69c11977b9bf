import CXCB
import Foundation
import HalfTunesTestSupport

/// Tells whenever something is drawn on a screen.
///
/// GTK 4.8 tells the accessibility bus of few changes, but whatever a person could see change is drawn.
enum ScreenChanges {
    /// Follows a screen, until it is gone.
    static func follow(_ display: String, _ changes: Changes) throws {
        let connection = xcb_connect(display, nil)
        let screen = xcb_setup_roots_iterator(xcb_get_setup(connection)).data
        let error = xcb_connection_has_error(connection)
        guard error == 0, let root = screen?.pointee.root else {
            throw BusError(
                reason: "The screen \(display) cannot be reached: error \(error) of XCB."
            )
        }
        let version = xcb_damage_query_version(connection, 1, 1)
        free(xcb_damage_query_version_reply(connection, version, nil))
        let damage = xcb_generate_id(connection)
        let level = UInt8(XCB_DAMAGE_REPORT_LEVEL_NON_EMPTY.rawValue)
        xcb_damage_create(connection, damage, root, level)
        xcb_flush(connection)
        let handle = Connection(pointer: connection)
        Thread { handle.read(damage, changes) }.start()
    }

    /// `@unchecked Sendable`: handed over to the one thread that uses it.
    private struct Connection: @unchecked Sendable {
        let pointer: OpaquePointer?

        func read(_ damage: xcb_damage_damage_t, _ changes: Changes) {
            while let event = xcb_wait_for_event(pointer) {
                free(event)
                // What is drawn from here on is told again.
                xcb_damage_subtract(pointer, damage, 0, 0)
                xcb_flush(pointer)
                changes.note()
            }
            xcb_disconnect(pointer)
        }
    }
}
