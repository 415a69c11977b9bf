import CAdwaita

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
