import CAdwaita
import Foundation
import HalfTunesCore
import Toolkit

/// Pictures of tracks, each loaded and decoded once.
@MainActor
final class ArtworkLoader {
    private let catalog: Catalog
    private var textures: [URL: OpaquePointer] = [:]

    init(catalog: Catalog) {
        self.catalog = catalog
    }

    /// The picture at a URL, which stays the loader's; nil when there is none.
    func texture(at url: URL) async -> OpaquePointer? {
        if let texture = textures[url] { return texture }
        // A song without its picture is worth showing, so that errors are not told.
        guard let data = try? await catalog.artwork(at: url) else { return nil }
        if let texture = textures[url] { return texture }
        let texture = Self.decode(data)
        textures[url] = texture
        return texture
    }

    private static func decode(_ data: Data) -> OpaquePointer? {
        let bytes = data.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
        defer { g_bytes_unref(bytes) }
        return gdk_texture_new_from_bytes(bytes, nil)
    }
}
