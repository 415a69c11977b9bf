/// The functions of libsystemd's sd-bus that are needed here, if the library is available.
///
/// It is loaded at the first use, and kept: programs that never need it do not map it, and systems without
/// systemd lack nothing. None of the functions is variadic, which Swift could not call. Their types are those
/// of sd-bus(3).
struct SystemdLibrary: Sendable {
    typealias Text = UnsafePointer<CChar>
    /// A pointer that a function fills in with what it has made.
    typealias Place = UnsafeMutablePointer<OpaquePointer?>
    /// A function that is called for a message, with the message, a context and an error to fill in.
    typealias Handler =
        @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Int32

    /// The library; nil if it, or one of its functions, is missing.
    ///
    /// The first access reads files.
    static let shared = try? SystemdLibrary()

    let new: @Sendable @convention(c) (Place) -> Int32
    let setAddress: @Sendable @convention(c) (OpaquePointer?, Text) -> Int32
    let setBusClient: @Sendable @convention(c) (OpaquePointer?, Int32) -> Int32
    let setWatchBind: @Sendable @convention(c) (OpaquePointer?, Int32) -> Int32
    let start: @Sendable @convention(c) (OpaquePointer?) -> Int32
    let close: @Sendable @convention(c) (OpaquePointer?) -> OpaquePointer?
    let descriptor: @Sendable @convention(c) (OpaquePointer?) -> Int32
    let events: @Sendable @convention(c) (OpaquePointer?) -> Int32
    let timeout: @Sendable @convention(c) (OpaquePointer?, UnsafeMutablePointer<UInt64>) -> Int32
    let process: @Sendable @convention(c) (OpaquePointer?, Place?) -> Int32
    let addMatch:
        @Sendable @convention(c) (
            OpaquePointer?, Place?, Text, Handler, Handler?, UnsafeMutableRawPointer?
        ) -> Int32
    let releaseSlot: @Sendable @convention(c) (OpaquePointer?) -> OpaquePointer?
    let newMethodCall:
        @Sendable @convention(c) (OpaquePointer?, Place, Text, Text, Text, Text) -> Int32
    let append: @Sendable @convention(c) (OpaquePointer?, CChar, UnsafeRawPointer) -> Int32
    let setAutoStart: @Sendable @convention(c) (OpaquePointer?, Int32) -> Int32
    let call:
        @Sendable @convention(c) (
            OpaquePointer?, Place?, OpaquePointer?, Handler, UnsafeMutableRawPointer?, UInt64
        ) -> Int32
    let isError: @Sendable @convention(c) (OpaquePointer?, Text?) -> Int32
    let error: @Sendable @convention(c) (OpaquePointer?) -> UnsafeRawPointer?
    let peek:
        @Sendable @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<CChar>, UnsafeMutablePointer<Text?>
        ) -> Int32
    let enter: @Sendable @convention(c) (OpaquePointer?, CChar, Text) -> Int32
    let leave: @Sendable @convention(c) (OpaquePointer?) -> Int32
    let skip: @Sendable @convention(c) (OpaquePointer?, Text) -> Int32
    let read: @Sendable @convention(c) (OpaquePointer?, CChar, UnsafeMutableRawPointer) -> Int32
    let release: @Sendable @convention(c) (OpaquePointer?) -> OpaquePointer?

    private init() throws(SystemCallError) {
        let library = try DynamicLibrary(name: "libsystemd.so.0")
        new = try library.function("sd_bus_new")
        setAddress = try library.function("sd_bus_set_address")
        setBusClient = try library.function("sd_bus_set_bus_client")
        setWatchBind = try library.function("sd_bus_set_watch_bind")
        start = try library.function("sd_bus_start")
        close = try library.function("sd_bus_close_unref")
        descriptor = try library.function("sd_bus_get_fd")
        events = try library.function("sd_bus_get_events")
        timeout = try library.function("sd_bus_get_timeout")
        process = try library.function("sd_bus_process")
        addMatch = try library.function("sd_bus_add_match_async")
        releaseSlot = try library.function("sd_bus_slot_unref")
        newMethodCall = try library.function("sd_bus_message_new_method_call")
        append = try library.function("sd_bus_message_append_basic")
        setAutoStart = try library.function("sd_bus_message_set_auto_start")
        call = try library.function("sd_bus_call_async")
        isError = try library.function("sd_bus_message_is_method_error")
        error = try library.function("sd_bus_message_get_error")
        peek = try library.function("sd_bus_message_peek_type")
        enter = try library.function("sd_bus_message_enter_container")
        leave = try library.function("sd_bus_message_exit_container")
        skip = try library.function("sd_bus_message_skip")
        read = try library.function("sd_bus_message_read_basic")
        release = try library.function("sd_bus_message_unref")
    }
}
