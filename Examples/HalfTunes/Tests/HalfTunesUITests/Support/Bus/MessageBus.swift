import CGio

/// A connection to a D-Bus message bus.
///
/// Calls block the thread for as long as the other side needs. `@unchecked Sendable`: a GDBusConnection is
/// safe to use from all threads, and nothing else is kept.
final class MessageBus: @unchecked Sendable {
    private let connection: OpaquePointer

    /// Connects to a bus.
    init(address: String) throws {
        let flags = GDBusConnectionFlags(
            G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
                | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue
        )
        connection = try checked { error in
            g_dbus_connection_new_for_address_sync(address, flags, nil, nil, error)
        }
        g_dbus_connection_set_exit_on_close(connection, 0)
    }

    deinit {
        g_dbus_connection_close_sync(connection, nil, nil)
        g_object_unref(gpointer(connection))
    }

    /// Calls a method, and returns what it answers.
    ///
    /// - Throws: ``BusError``, also when there is nobody to answer.
    @discardableResult
    func call(
        _ destination: String,
        _ path: String,
        _ method: String,
        in interface: String,
        _ arguments: Variant? = nil
    ) throws -> [Variant] {
        let answer = try checked { error in
            g_dbus_connection_call_sync(
                connection,
                destination,
                path,
                interface,
                method,
                arguments?.pointer,
                nil,
                G_DBUS_CALL_FLAGS_NONE,
                -1,
                nil,
                error
            )
        }
        return Variant(answer).values
    }

    /// Calls a method of the bus itself.
    @discardableResult
    func callBus(_ method: String, _ arguments: Variant) throws -> [Variant] {
        let name = "org.freedesktop.DBus"
        return try call(name, "/org/freedesktop/DBus", method, in: name, arguments)
    }

    /// Shows every message that arrives to a closure, on the connection's own thread.
    ///
    /// - Parameter body: Returns what to answer; nil leaves the message to GDBus.
    func filter(_ body: @escaping @Sendable (BusMessage) -> Variant?) {
        let filter: GDBusMessageFilterFunction = { connection, message, isIncoming, data in
            guard let message, let data, isIncoming != 0 else { return message }
            let box = Unmanaged<MessageFilter>.fromOpaque(data).takeUnretainedValue()
            guard let answer = box.body(BusMessage(message)) else { return message }
            let reply = g_dbus_message_new_method_reply(message)
            g_dbus_message_set_body(reply, answer.pointer)
            g_dbus_connection_send_message(
                connection,
                reply,
                G_DBUS_SEND_MESSAGE_FLAGS_NONE,
                nil,
                nil
            )
            g_object_unref(gpointer(reply))
            g_object_unref(gpointer(message))
            return nil
        }
        g_dbus_connection_add_filter(
            connection,
            filter,
            Unmanaged.passRetained(MessageFilter(body)).toOpaque(),
            { data in if let data { Unmanaged<MessageFilter>.fromOpaque(data).release() } }
        )
    }
}

private final class MessageFilter: Sendable {
    let body: @Sendable (BusMessage) -> Variant?

    init(_ body: @escaping @Sendable (BusMessage) -> Variant?) {
        self.body = body
    }
}

/// What a function of GLib returns, or the error it has left.
private func checked<Result>(
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> Result?
) throws -> Result {
    var error: UnsafeMutablePointer<GError>?
    defer { g_clear_error(&error) }
    guard let result = body(&error) else {
        throw BusError(reason: error.map { String(cString: $0.pointee.message) } ?? "No answer.")
    }
    return result
}

/// Why a call over a bus came to nothing.
struct BusError: Error {
    var reason: String
}

/// A message that has arrived.
struct BusMessage {
    var isSignal: Bool
    var interface: String
    var member: String
    var arguments: [Variant]

    init(_ message: OpaquePointer) {
        isSignal = g_dbus_message_get_message_type(message) == G_DBUS_MESSAGE_TYPE_SIGNAL
        interface = g_dbus_message_get_interface(message).map { String(cString: $0) } ?? ""
        member = g_dbus_message_get_member(message).map { String(cString: $0) } ?? ""
        arguments = g_dbus_message_get_body(message).map { Variant(g_variant_ref($0)).values } ?? []
    }
}
