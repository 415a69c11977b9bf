import FerryTransfer
import FerryWire
import Foundation
import FoundationNetworking

/// What an upload task of a background session is to do, translated for the layers below and checked.
struct UploadOrder: Sendable {
    /// Where to send the file.
    var request: TransferRequest
    /// The file, opened when the task was made: what becomes of its name after that does not matter.
    var file: PassedFile
    /// The file's absolute path.
    var path: String
    /// How many bytes it has.
    var byteCount: Int64

    /// Translates what the app has given, and opens the file.
    ///
    /// - Throws: What the task fails with when it is resumed.
    init(
        _ request: URLRequest,
        sending url: URL,
        configuration: URLSessionConfiguration.Values
    ) throws(URLError) {
        self.request = try TransferRequest(
            request,
            body: .file(url),
            configuration: configuration
        )
        path = url.path
        let opened = try OpenedFile(url)
        byteCount = opened.byteCount
        file = PassedFile(opened.descriptor)
    }
}
