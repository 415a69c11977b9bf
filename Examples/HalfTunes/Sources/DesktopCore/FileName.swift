package import Foundation

/// Under which name a download is filed.
package enum FileName {
    /// The URL's last path component, made harmless: a server's word must not name another directory.
    package static func of(_ url: URL) -> String {
        let name = url.lastPathComponent
            .replacing("/", with: "_")
            .replacing("\0", with: "_")
        // A hidden file would be lost to its owner, and ".." is no file at all.
        let visible = name.drop { $0 == "." }
        return visible.isEmpty ? "download" : String(visible)
    }
}
