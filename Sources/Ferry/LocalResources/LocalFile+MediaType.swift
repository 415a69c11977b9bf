extension LocalFile {
    /// Returns the type for a file name extension; `application/octet-stream` for unknown ones.
    ///
    /// The desktop's type database (shared-mime-info) is not used: no library for it is always installed, and servers
    /// do not have it. The names are those that IANA has
    /// registered, or the common ones where it has none.
    static func mimeType(ofExtension name: String) -> String {
        types[name.lowercased()] ?? "application/octet-stream"
    }

    private static let types = [
        "7z": "application/x-7z-compressed",
        "aac": "audio/aac",
        "avif": "image/avif",
        "bmp": "image/bmp",
        "bz2": "application/x-bzip2",
        "css": "text/css",
        "csv": "text/csv",
        "flac": "audio/flac",
        "gif": "image/gif",
        "gz": "application/gzip",
        "heic": "image/heic",
        "htm": "text/html",
        "html": "text/html",
        "ics": "text/calendar",
        "jpeg": "image/jpeg",
        "jpg": "image/jpeg",
        "js": "text/javascript",
        "json": "application/json",
        "log": "text/plain",
        "m4a": "audio/mp4",
        "m4v": "video/mp4",
        "md": "text/markdown",
        "mjs": "text/javascript",
        "mov": "video/quicktime",
        "mp3": "audio/mpeg",
        "mp4": "video/mp4",
        "mpeg": "video/mpeg",
        "oga": "audio/ogg",
        "ogg": "audio/ogg",
        "ogv": "video/ogg",
        "otf": "font/otf",
        "pdf": "application/pdf",
        "png": "image/png",
        "rtf": "application/rtf",
        "svg": "image/svg+xml",
        "tar": "application/x-tar",
        "tif": "image/tiff",
        "tiff": "image/tiff",
        "ttf": "font/ttf",
        "txt": "text/plain",
        "wasm": "application/wasm",
        "wav": "audio/wav",
        "webm": "video/webm",
        "webp": "image/webp",
        "woff": "font/woff",
        "woff2": "font/woff2",
        "xhtml": "application/xhtml+xml",
        "xml": "application/xml",
        "xz": "application/x-xz",
        "yaml": "application/yaml",
        "yml": "application/yaml",
        "zip": "application/zip",
        "zst": "application/zstd",
    ]
}
