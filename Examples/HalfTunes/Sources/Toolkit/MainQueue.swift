import CAdwaita
import CToolkit
import Foundation

/// Lets GLib's main loop run what is for the main actor, which is libdispatch's main queue.
@MainActor
enum MainQueue {
    /// Adds the queue to the main loop; once, before the loop runs.
    static func attach() {
        // An eventfd: readable when there is work, so that nothing has to be polled.
        let handle = _dispatch_get_main_queue_handle_4CF()
        let ready: GUnixFDSourceFunc = { @Sendable descriptor, _, _ in
            var count: UInt64 = 0
            while read(descriptor, &count, 8) < 0 && errno == EINTR {}
            _dispatch_main_queue_callback_4CF(nil)
            return 1
        }
        g_unix_fd_add_full(G_PRIORITY_DEFAULT, handle, G_IO_IN, ready, nil, nil)
    }
}
