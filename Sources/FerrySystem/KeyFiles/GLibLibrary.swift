/// The functions of GLib that read key files, if the library is available.
///
/// It is loaded at the first use, and kept: a daemon without a configuration file does not map it. None of the functions
/// is variadic, which Swift could not call. Their types are those of
/// [GKeyFile](https://docs.gtk.org/glib/struct.KeyFile.html).
struct GLibLibrary: Sendable {
    typealias Text = UnsafePointer<CChar>
    typealias OwnText = UnsafeMutablePointer<CChar>
    typealias OwnTexts = UnsafeMutablePointer<OwnText?>

    /// The library; nil if it, or one of its functions, is missing.
    ///
    /// The first access reads files.
    static let shared = try? GLibLibrary()

    let new: @Sendable @convention(c) () -> OpaquePointer?
    let load:
        @Sendable @convention(c) (
            OpaquePointer?, Text, Int, UInt32, UnsafeMutableRawPointer?
        ) -> Int32
    let startGroup: @Sendable @convention(c) (OpaquePointer?) -> OwnText?
    let keys:
        @Sendable @convention(c) (
            OpaquePointer?, Text, UnsafeMutablePointer<Int>, UnsafeMutableRawPointer?
        ) -> OwnTexts?
    let string:
        @Sendable @convention(c) (
            OpaquePointer?, Text, Text, UnsafeMutableRawPointer?
        ) -> OwnText?
    let release: @Sendable @convention(c) (OpaquePointer?) -> Void
    let free: @Sendable @convention(c) (UnsafeMutableRawPointer?) -> Void
    let freeTexts: @Sendable @convention(c) (OwnTexts?) -> Void

    private init() throws(SystemCallError) {
        let library = try DynamicLibrary(name: "libglib-2.0.so.0")
        new = try library.function("g_key_file_new")
        load = try library.function("g_key_file_load_from_data")
        startGroup = try library.function("g_key_file_get_start_group")
        keys = try library.function("g_key_file_get_keys")
        string = try library.function("g_key_file_get_string")
        release = try library.function("g_key_file_free")
        free = try library.function("g_free")
        freeTexts = try library.function("g_strfreev")
    }
}
