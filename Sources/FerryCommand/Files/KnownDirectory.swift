import FerrySystem
import Foundation
@preconcurrency import Glibc

/// A directory as it was when a download for it was requested.
///
/// The disk that it is on may be missing when the file is complete. Its bare mount point must not get the file then.
struct KnownDirectory: Hashable, Codable, Sendable {
    /// The directory's device and inode (stat(2)).
    var device: UInt64
    var inode: UInt64
    /// The point where its file system was mounted.
    var mountPoint: String
    /// The type of the file system, such as `fuse.sshfs`.
    var type: String
    /// What was mounted, such as `/dev/sdb1`.
    var source: String
    /// The UUID of the file system, if it has one.
    var volume: String?

    /// A directory as it is now; nil if it or its file system is unknown.
    ///
    /// - Parameter directory: The directory.
    init?(_ directory: Directory) {
        var status = stat()
        guard fstat(directory.descriptor, &status) == 0,
            let mount = Mount.of(directory.descriptor, among: Mount.all())
        else { return nil }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        mountPoint = mount.path
        type = mount.type
        source = mount.source
        volume = Self.volume(of: mount.source)
    }

    /// Returns whether the disk that the directory was on is there.
    ///
    /// The directory itself may have been replaced since, also by a link to another disk: that its user has done. And
    /// some file systems number their files anew each time they are mounted.
    ///
    /// - Parameter directory: The directory that has its path now; nil if there is none.
    /// - Returns: Whether its disk is there.
    func isOnItsDisk(_ directory: Directory?) -> Bool {
        if mountPoint == "/" { return true }
        var status = stat()
        if let directory, fstat(directory.descriptor, &status) == 0,
            status.st_dev == device, status.st_ino == inode
        {
            return true
        }
        let mounts = Mount.all()
        if let directory, let own = Mount.of(directory.descriptor, among: mounts),
            own.path == mountPoint
        {
            return isSame(own)
        }
        // One that is mounted later covers the earlier ones.
        return mounts.last { $0.path == mountPoint }.map(isSame) ?? false
    }

    private func isSame(_ mount: Mount) -> Bool {
        if let volume, let other = Self.volume(of: mount.source) { return volume == other }
        return mount.type == type && mount.source == source
    }

    /// Returns the UUID of the file system on a device, as udev(7) has found it.
    private static func volume(of source: String) -> String? {
        guard source.hasPrefix("/dev/"), let device = realPath(of: source) else { return nil }
        let links = "/dev/disk/by-uuid"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: links)) ?? []
        return names.first { realPath(of: "\(links)/\($0)") == device }
    }

    private static func realPath(of path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
