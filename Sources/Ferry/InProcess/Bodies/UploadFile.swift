import FerryHTTP
import FerrySystem
import Foundation

/// A file of the app's that is open to be sent, as it was when it was opened.
struct UploadFile: Sendable {
    /// Which file it is, and its state then.
    let identity: FileIdentity
    /// The open file.
    let file: UserFile

    /// How many bytes it has.
    var byteCount: Int64 { identity.size }

    /// Opens a file.
    ///
    /// - Throws: As ``OpenedFile/init(_:)``.
    @LoopActor
    static func open(_ url: URL) async throws(URLError) -> UploadFile {
        try await AppFiles.queue.run { () throws(URLError) in try UploadFile(url) }
    }

    /// Opens a file, which may take its time.
    ///
    /// - Throws: As ``OpenedFile/init(_:)``.
    init(_ url: URL) throws(URLError) {
        let opened = try OpenedFile(url)
        identity = try Self.identity(of: opened, at: url)
        file = UserFile(opened.descriptor, on: AppFiles.queue)
    }

    /// Which file can be sent, and its state, without keeping it open.
    ///
    /// - Throws: As ``OpenedFile/init(_:)``.
    static func identity(of url: URL) throws(URLError) -> FileIdentity {
        try identity(of: try OpenedFile(url), at: url)
    }

    private static func identity(
        of file: borrowing OpenedFile,
        at url: URL
    ) throws(URLError) -> FileIdentity {
        do throws(SystemCallError) {
            return try file.descriptor.identity()
        } catch {
            throw URLError(readingFile: error, url: url)
        }
    }

    /// Finds out whether the file is what it was.
    @LoopActor
    func check(_ earlier: FileIdentity, then handler: @escaping @LoopActor @Sendable (Bool) -> Void)
    {
        AppFiles.queue.perform { [file] in
            let isUnchanged = (try? file.identity())?.hasContent(of: earlier) == true
            LoopActor.perform { handler(isUnchanged) }
        }
    }
}

extension FileBodySource {
    /// All of a file, as long as it was when it was opened.
    nonisolated convenience init(_ file: UploadFile) {
        self.init(Opened(file.file), range: 0..<file.byteCount)
    }
}

/// What makes calls on the app's own files.
enum AppFiles {
    /// Several threads: a file whose server is gone holds up one of them, for as long as the kernel waits.
    static let queue = BlockingQueue(label: "ferry.files", threadLimit: 32)
}
