import CAdwaita
import DesktopCore
package import Foundation

/// Why a file is not in the trash.
private struct TrashError: LocalizedError {
    let errorDescription: String?
}

extension DesktopApplication: DesktopFiles {
    package func trash(_ file: URL) throws {
        let place = g_file_new_for_path(file.path)
        defer { g_object_unref(place.map { UnsafeMutableRawPointer($0) }) }
        var error: UnsafeMutablePointer<GError>?
        guard g_file_trash(place, nil, &error) == 0 else { return }
        defer { g_error_free(error) }
        throw TrashError(errorDescription: error.map { String(cString: $0.pointee.message) })
    }

    /// Shows a file in the file manager; its folder, where no file manager can show a file.
    package func show(_ file: URL) {
        let name = "org.freedesktop.FileManager1"
        let folder = Unmanaged.passRetained(ShownFolder(of: file)).toOpaque()
        let answered: GAsyncReadyCallback = { @Sendable connection, result, data in
            guard let data else { return }
            let folder = Unmanaged<ShownFolder>.fromOpaque(data).takeRetainedValue()
            let connection = connection.map { OpaquePointer($0) }
            let answer = g_dbus_connection_call_finish(connection, result, nil)
            guard answer == nil else { return g_variant_unref(answer) }
            folder.show()
        }
        g_dbus_connection_call(
            g_application_get_dbus_connection(gApplication),
            name,
            "/org/freedesktop/FileManager1",
            name,
            "ShowItems",
            Self.arguments(file),
            nil,
            G_DBUS_CALL_FLAGS_NONE,
            -1,
            nil,
            answered,
            folder
        )
    }

    /// The files, and what tells the desktop which click it was.
    private static func arguments(_ file: URL) -> OpaquePointer? {
        let files = file.absoluteString.withCString { address in
            var addresses: [UnsafePointer<CChar>?] = [address]
            return g_variant_new_strv(&addresses, 1)
        }
        var values = [files, g_variant_new_string("")]
        return g_variant_new_tuple(&values, gsize(values.count))
    }
}

/// The folder of a file that a person wants to see.
private final class ShownFolder: Sendable {
    private let address: String

    init(of file: URL) {
        address = file.deletingLastPathComponent().absoluteString
    }

    func show() {
        g_app_info_launch_default_for_uri_async(address, nil, nil, nil, nil)
    }
}
