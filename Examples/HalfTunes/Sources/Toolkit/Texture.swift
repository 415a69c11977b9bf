import CAdwaita
package import Foundation

/// A picture in memory, as GTK draws it.
package final class Texture: @unchecked Sendable {
    // @unchecked because Swift does not know that a GdkTexture never changes once it is made.
    package let pointer: OpaquePointer

    private init?(_ pointer: OpaquePointer?) {
        guard let pointer else { return nil }
        self.pointer = pointer
    }

    deinit {
        g_object_unref(UnsafeMutableRawPointer(pointer))
    }

    /// The picture in a file, decoded on another thread than the window's; nil when it is none.
    @concurrent
    package static func of(_ file: URL) async -> Texture? {
        Texture(gdk_texture_new_from_filename(file.path, nil))
    }

    /// A picture as large as fits into a square, decoded on another thread than the window's.
    @concurrent
    package static func of(_ file: URL, fitting side: Int32) async -> Texture? {
        guard let pixels = gdk_pixbuf_new_from_file_at_scale(file.path, side, side, 1, nil) else {
            return nil
        }
        defer { g_object_unref(UnsafeMutableRawPointer(pixels)) }
        return Texture(gdk_texture_new_for_pixbuf(pixels))
    }
}
