import FerryHTTP

/// The capabilities that a tus server reports.
package struct TusCapabilities: Hashable, Sendable, Codable {
    /// Whether it creates resources for uploads.
    package var creates: Bool
    /// Whether it accepts the first bytes along with that.
    package var createsWithUpload: Bool
    /// Whether an upload can be terminated.
    package var terminates: Bool
    /// The checksum for the bytes of a part; `nil` for none.
    package var checksum: TusChecksum?

    /// Reads the response to a request for options; `nil` if it is not from a tus server.
    init?(_ head: HTTPResponseHead) {
        let fields = head.fields
        let versions = Self.list(fields.first(named: "Tus-Version"))
        guard versions.contains("1.0.0") || fields.first(named: "Tus-Resumable") == "1.0.0",
            (200..<300).contains(head.status)
        else { return nil }
        let extensions = Self.list(fields.first(named: "Tus-Extension"))
        creates = extensions.contains("creation")
        createsWithUpload = extensions.contains("creation-with-upload")
        terminates = extensions.contains("termination")
        let algorithms = Self.list(fields.first(named: "Tus-Checksum-Algorithm"))
        checksum =
            extensions.contains("checksum")
            ? TusChecksum.allCases.first { algorithms.contains($0.rawValue) } : nil
    }

    /// Makes capabilities from their parts.
    package init(
        creates: Bool = true,
        createsWithUpload: Bool = false,
        terminates: Bool = false,
        checksum: TusChecksum? = nil
    ) {
        self.creates = creates
        self.createsWithUpload = createsWithUpload
        self.terminates = terminates
        self.checksum = checksum
    }

    private static func list(_ value: String?) -> [String] {
        (value ?? "").split(separator: ",").map { String($0).trimmingSpaces.lowercased() }
    }
}

/// The hash functions for the bytes of a part, the best first.
package enum TusChecksum: String, Hashable, Sendable, Codable, CaseIterable {
    /// SHA-256.
    case sha256
    /// SHA-1, which every tus server with checksums has; it detects damage but not forgery.
    case sha1
}
