import CXCB
import Foundation
import HalfTunesTestSupport

/// A screen of X11, and the windows on it.
///
/// `@unchecked Sendable`: XCB's connections are for all threads, and nothing else is kept.
final class Screen: @unchecked Sendable {
    private let connection: OpaquePointer?
    private let root: xcb_window_t

    /// Connects to a screen.
    init(_ display: String) throws {
        connection = xcb_connect(display, nil)
        let screen = xcb_setup_roots_iterator(xcb_get_setup(connection)).data
        let error = xcb_connection_has_error(connection)
        guard error == 0, let root = screen?.pointee.root else {
            throw BusError(
                reason: "The screen \(display) cannot be reached: error \(error) of XCB."
            )
        }
        self.root = root
    }

    deinit {
        xcb_disconnect(connection)
    }

    /// Tells whenever something is drawn, until the screen is gone.
    ///
    /// GTK 4.8 tells the accessibility bus of few changes, but whatever a person could see change is drawn.
    func follow(_ changes: Changes) {
        let version = xcb_damage_query_version(connection, 1, 1)
        free(xcb_damage_query_version_reply(connection, version, nil))
        let damage = xcb_generate_id(connection)
        let level = UInt8(XCB_DAMAGE_REPORT_LEVEL_NON_EMPTY.rawValue)
        xcb_damage_create(connection, damage, root, level)
        xcb_flush(connection)
        Thread { self.read(damage, changes) }.start()
    }

    private func read(_ damage: xcb_damage_damage_t, _ changes: Changes) {
        while let event = xcb_wait_for_event(connection) {
            free(event)
            // What is drawn from here on is told again.
            xcb_damage_subtract(connection, damage, 0, 0)
            xcb_flush(connection)
            changes.record()
        }
    }

    /// Gives all windows another size, in pixels, as there is nobody who manages them.
    func resizeWindows(width: UInt32, height: UInt32) {
        let question = xcb_query_tree(connection, root)
        guard let tree = xcb_query_tree_reply(connection, question, nil) else { return }
        defer { free(tree) }
        let mask = UInt16(XCB_CONFIG_WINDOW_WIDTH.rawValue | XCB_CONFIG_WINDOW_HEIGHT.rawValue)
        let windows = UnsafeBufferPointer(
            start: xcb_query_tree_children(tree),
            count: Int(xcb_query_tree_children_length(tree))
        )
        for window in windows where isShown(window) {
            xcb_configure_window(connection, window, mask, [width, height])
        }
        xcb_flush(connection)
    }

    private func isShown(_ window: xcb_window_t) -> Bool {
        let question = xcb_get_window_attributes(connection, window)
        guard let answer = xcb_get_window_attributes_reply(connection, question, nil) else {
            return false
        }
        defer { free(answer) }
        return UInt32(answer.pointee.map_state) == XCB_MAP_STATE_VIEWABLE.rawValue
    }
}
