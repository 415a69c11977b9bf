import CAdwaita
import CToolkit
import Foundation

/// What is called for a signal.
private final class SignalHandler: Sendable {
    let body: @MainActor () -> Void

    init(_ body: @escaping @MainActor () -> Void) {
        self.body = body
    }
}

/// Calls a closure whenever an object emits a signal, until the object is gone.
///
/// For signals that return nothing; what they tell beside the object is left out.
@MainActor
package func connect(
    _ object: UnsafeMutableRawPointer,
    _ signal: String,
    _ body: @escaping @MainActor () -> Void
) {
    // Swapped, the data comes first, so that one function serves signals of any number of arguments:
    // in C's calling convention a function may ignore the arguments behind.
    let function: @convention(c) (gpointer) -> Void = { @Sendable data in
        let handler = Unmanaged<SignalHandler>.fromOpaque(data)
        // GTK emits its signals on the main thread alone.
        MainActor.assumeIsolated { handler.takeUnretainedValue().body() }
    }
    g_signal_connect_data(
        object,
        signal,
        unsafeBitCast(function, to: GCallback.self),
        Unmanaged.passRetained(SignalHandler(body)).toOpaque(),
        { @Sendable data, _ in
            if let data { Unmanaged<SignalHandler>.fromOpaque(data).release() }
        },
        G_CONNECT_SWAPPED
    )
}

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
