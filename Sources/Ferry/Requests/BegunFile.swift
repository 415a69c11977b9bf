import FerrySystem
import FerryTransfer
package import Foundation
package import FoundationNetworking

/// A file that another program has begun to download, and that a background download is to continue.
package struct BegunFile: Sendable {
    private let path: String
    private let byteCount: Int64

    /// A file that another program has begun.
    ///
    /// - Parameters:
    ///   - path: Its absolute path.
    ///   - byteCount: The number of its bytes that belong to the resource, from the first one without a gap.
    package init(path: String, byteCount: Int64) {
        self.path = path
        self.byteCount = byteCount
    }

    /// Copies its bytes, and returns the resume data of the copy; it may block.
    ///
    /// Nothing proves the bytes: the download compares their end with what the server sends before it continues them. The
    /// file itself stays as it is.
    ///
    /// - Parameters:
    ///   - request: The request for the whole resource.
    ///   - configuration: The configuration of the session that continues it.
    ///   - totalByteCount: The number of bytes of the whole resource.
    ///   - directory: The directory of the copy, on the disk that the complete file is for.
    /// - Returns: The resume data.
    /// - Throws: An error when the file cannot be read, or the copy not be written; `URLError` for a request that cannot be
    ///   made.
    package func resumeData(
        for request: URLRequest,
        in configuration: URLSessionConfiguration,
        totalByteCount: Int64,
        copyingInto directory: String
    ) throws -> Data {
        let transfer = try TransferRequest(
            request,
            configuration: configuration.snapshot,
            madeFor: nil
        )
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        let parent = slash == path.startIndex ? "/" : String(path[..<slash])
        let resumeData = try PartialFile.copy(
            byteCount,
            of: (try Directory(opening: parent), String(path[path.index(after: slash)...])),
            for: transfer,
            totalByteCount: totalByteCount,
            into: try Directory(opening: directory),
            // ferryd lets such a file grow where it is, if its own directory is on another disk.
            as: ".ferry-\(UInt64.random(in: .min ... .max))"
        )
        return Data(try resumeData.encoded())
    }
}
