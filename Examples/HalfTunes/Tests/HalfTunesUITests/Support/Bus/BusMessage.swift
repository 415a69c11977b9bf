import CGio

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
