import FerryHTTP
import FerrySystem
import Foundation

/// An app's file, open for sending, as it was when it was opened.
struct UploadFile: Sendable {
    /// The file's identity, and its state when it was opened.
    let identity: FileIdentity
    /// The open file.
    let file: UserFile

    /// The number of bytes in the file.
    var byteCount: Int64 { identity.size }

    /// Opens a file.
    ///
    /// - Throws: As ``OpenedFile/init(_:)``.
    @LoopActor
    static func open(_ url: URL) async throws(URLError) -> UploadFile {
        try await AppFiles.queue.run { () throws(URLError) in try UploadFile(url) }
    }

    /// Opens a file, which may block.
    ///
    /// - Parameters:
    ///   - url: The file's URL.
    ///   - onClose: Called by a thread of ``AppFiles/queue`` when the file is closed; not if this throws.
    /// - Throws: As ``OpenedFile/init(_:)``.
    init(_ url: URL, onClose: (@Sendable () -> Void)? = nil) throws(URLError) {
        let opened = try OpenedFile(url)
        identity = try Self.identity(of: opened, at: url)
        file = UserFile(opened.descriptor, on: AppFiles.queue, onClose: onClose)
    }

    /// Returns the identity and state of a file that can be sent, without keeping it open.
    ///
    /// Without a descriptor for the moment, only later is it noticed that the file may not be read.
    ///
    /// - Throws: As ``OpenedFile/init(_:)``.
    static func identity(of url: URL) throws(URLError) -> FileIdentity {
        do throws(URLError) {
            return try identity(of: try OpenedFile(url), at: url)
        } catch {
            guard error.isShortage else { throw error }
        }
        let path = try OpenedFile.path(of: url)
        do throws(SystemCallError) {
            return try FileIdentity.ofRegularFile(at: path)
        } catch {
            throw URLError(readingFile: error, url: url)
        }
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

    /// Checks whether the file is unchanged.
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
    /// Creates a source for a whole file, with the length that it had when it was opened.
    nonisolated convenience init(_ file: UploadFile) {
        self.init(Opened(file.file), range: 0..<file.byteCount)
    }
}

/// The queue for calls on the app's files.
enum AppFiles {
    /// The maximum number of threads: a file whose server is gone blocks one of them for as long as the kernel waits.
    static let threadLimit = 32
    static let queue = BlockingQueue(label: "ferry.files", threadLimit: threadLimit)
}
