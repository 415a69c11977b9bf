import FerryTransfer
import Foundation
import FoundationNetworking
import Synchronization

/// An upload that an earlier task has begun, as the app's resume data describes it.
struct UploadResumption: Sendable {
    /// The content of the resume data.
    let resumeData: UploadResumeData
    /// The resume data itself.
    let blob: Data

    /// The resume data already used in this process: a second task would send the same bytes alongside the first.
    private static let spent = Mutex<Set<UUID>>([])

    /// Decodes resume data, and marks it as used.
    ///
    /// - Throws: The error with which the task fails when it is resumed.
    init(_ blob: Data, isBackground: Bool) throws(URLError) {
        self.blob = blob
        do throws(TransferError) {
            resumeData = try UploadResumeData(decoding: Array(blob))
            let identifier = resumeData.identifier
            guard Self.spent.withLock({ $0.insert(identifier).inserted }) else {
                throw TransferError(
                    code: .resumeDataInvalid,
                    message: "the resume data cannot be used: a task was made from it already"
                )
            }
        } catch {
            throw URLError(error, url: nil, isBackground: isBackground)
        }
    }

    /// The request of the task, as the app made it for the first one.
    var request: URLRequest { URLRequest(resumeData.request) }

    /// The body to send.
    var body: DataBody {
        switch resumeData.content {
        // Without the hint Foundation would check whether it is a directory.
        case .file(let path, _, _): .file(URL(filePath: path, directoryHint: .notDirectory))
        case .bytes: .data(Data(resumeData.request.body ?? []))
        case .stream: .onDemand
        }
    }

    /// The file, if there is one.
    var file: URL? {
        if case .file(let path, _, _) = resumeData.content {
            URL(filePath: path, directoryHint: .notDirectory)
        } else {
            nil
        }
    }
}
