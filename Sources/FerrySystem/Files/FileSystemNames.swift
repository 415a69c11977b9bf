import CFerryLinux
import Glibc

/// The names that a file system takes.
package struct FileSystemNames: Hashable, Sendable {
    /// How a file system reads a name.
    package enum Reading: Hashable, Sendable {
        /// As bytes, of which only the slash and zero are refused: Linux's own file systems.
        case bytes
        /// As UTF-16, without the characters and names that Windows reserves.
        case windows
        /// It is a server's or a program's, which may refuse anything.
        case unknown
    }

    /// How it reads a name.
    package let reading: Reading
    /// The length of the longest name, in bytes; of one that reads UTF-16, what 255 units can have at most.
    package let greatestByteCount: Int

    /// The names that the file system of an open file takes.
    package init(of descriptor: Int32) {
        var status = statvfs()
        let limit = fstatvfs(descriptor, &status) == 0 ? Int(clamping: status.f_namemax) : 0
        self.init(
            type: CFerryLinux_fileSystemType(descriptor),
            // Some file systems of programs report nothing.
            greatestByteCount: limit > 0 ? limit : Int(NAME_MAX)
        )
    }

    /// The names that a file system takes.
    ///
    /// - Parameters:
    ///   - type: Its number (statfs(2)).
    ///   - greatestByteCount: The length of the longest name that it reports.
    package init(type: UInt32, greatestByteCount: Int) {
        reading =
            switch type {
            case _ where TargetDirectory.local.contains(type): .bytes
            case _ where Self.windows.contains(type): .windows
            default: .unknown
            }
        self.greatestByteCount = greatestByteCount
    }

    /// File systems with the names of Windows.
    private static let windows: Set<UInt32> = [
        0x4D44,  // vfat
        0x2011_BAB0,  // exFAT
        0x5346_544E,  // NTFS
        0x7366_746E,  // NTFS (ntfs3)
        0x517B,  // SMB
        0xFF53_4D42,  // CIFS
        0xFE53_4D42,  // SMB 2
    ]

    /// Returns why a name cannot be that of a file there, as far as the name's form shows that.
    ///
    /// - Parameter name: A single component.
    /// - Returns: The reason; `nil` if it may be possible.
    package func refusal(of name: String) -> String? {
        switch reading {
        case .bytes, .unknown:
            let byteCount = name.utf8.count
            return byteCount > greatestByteCount
                ? "it has \(byteCount) bytes, and at most \(greatestByteCount) are possible" : nil
        case .windows:
            if name.utf16.count > Self.greatestUnitCount {
                return "it has \(name.utf16.count) UTF-16 units, and at most 255 are possible"
            }
            if let scalar = name.unicodeScalars.first(where: Self.isReserved) {
                return "'\(scalar)' cannot be part of a name there"
            }
            return name.hasSuffix(".") || name.hasSuffix(" ")
                ? "it ends in a period or a blank, which gets lost there" : nil
        }
    }

    /// The length of the longest name of Windows's file systems, in UTF-16 units.
    package static let greatestUnitCount = 255

    /// Returns whether Windows's file systems refuse a character.
    package static func isReserved(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || scalar.value == 0x7F || "\"*/:<>?\\|".unicodeScalars.contains(scalar)
    }
}
