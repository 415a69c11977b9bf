import FerryStore
import FerrySystem
import FerryTestSupport
import FerryTransfer
import FoundationEssentials
import Glibc
import Testing

@testable import FerryDaemon

/// Resume data of a file that was written on another disk, and what has become of that disk.
@Suite(.enabled(if: SmallDisk.canBeMade), .timeLimit(.minutes(1)))
@LoopActor
struct AbsentDiskTests {
    private let temporary: TemporaryDirectory
    private let point: TemporaryDirectory
    private let disk: SmallDisk
    private let queue = BlockingQueue(label: "test.files", threadLimit: 4)

    init() throws {
        temporary = try TemporaryDirectory()
        point = try TemporaryDirectory()
        disk = try SmallDisk(byteCount: 1 << 20)
    }

    /// What has happened to the file's directory on the disk.
    enum Change: String, CaseIterable {
        case unmounted
        case mountPointRemoved
        case otherDisk
        case directoryRemoved
        case directoryReplaced
        case fileRemoved

        /// Whether the file may come back.
        var isTemporary: Bool {
            switch self {
            case .unmounted, .mountPointRemoved, .otherDisk: true
            case .directoryRemoved, .directoryReplaced, .fileRemoved: false
            }
        }
    }

    private func mount(_ disk: SmallDisk) throws {
        let path = point.path
        try systemCall("mount", path) { Glibc.mount(disk.path, path, nil, UInt(MS_BIND), nil) }
    }

    private func unmount() { umount2(point.path, Int32(MNT_DETACH)) }

    /// Leaves 40 bytes on the disk, and returns their resume data.
    private func leavePart() async throws -> ResumeData {
        let places = FilePlaces(in: temporary.directory)
        let target = point.path + "/downloads"
        #expect(mkdir(target, 0o700) == 0)
        #expect(await places.choose(for: 1, named: "file", in: target, on: queue) == nil)
        let place = try #require(places.place(of: 1))
        let file = PartialFile(directory: place.directory, name: place.name)
        let url = "http://localhost/file"
        try file.begin(
            ResourceVersion(validator: .strongETag("\"a\""), totalByteCount: 100, url: url)
        )
        try [UInt8](repeating: 7, count: 40).withUnsafeBytes { try file.write($0) }
        defer { file.close() }
        return try ResumeData(request: TransferRequest(url: url), file: file)
    }

    private func apply(_ change: Change, to data: ResumeData, _ other: SmallDisk) throws {
        let target = point.path + "/downloads"
        switch change {
        case .unmounted: unmount()
        case .mountPointRemoved:
            unmount()
            #expect(rmdir(point.path) == 0)
        case .otherDisk:
            unmount()
            try mount(other)
            #expect(mkdir(target, 0o700) == 0)
        case .fileRemoved: #expect(unlink(data.path) == 0)
        case .directoryRemoved, .directoryReplaced:
            #expect(rename(target, target + "-2") == 0)
            if change == .directoryReplaced { #expect(mkdir(target, 0o700) == 0) }
        }
    }

    @Test(arguments: Change.allCases)
    func `KEEP-1: resume data is waited for while its disk is away, and is gone with its file`(
        _ change: Change
    ) async throws {
        let other = try SmallDisk(byteCount: 1 << 20)
        try mount(disk)
        defer { unmount() }
        let data = try await leavePart()
        try apply(change, to: data, other)
        let files = try TransferFiles(in: try temporary.directory.openSubdirectory("state"))
        let encoded = Data(try data.encoded())
        let error = await #expect(throws: TransferError.self) {
            _ = try await files.adopt(encoded, for: 2, on: queue)
        }
        #expect(error?.code == (change.isTemporary ? .fileUnreachable : .fileMissing))
        guard change.isTemporary else { return }
        // It is used as soon as the disk is there.
        unmount()
        mkdir(point.path, 0o700)
        try mount(disk)
        #expect(try await files.adopt(encoded, for: 2, on: queue).writtenByteCount == 40)
    }
}
