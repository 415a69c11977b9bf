import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking

/// The resumption of interrupted uploads.
extension DataContent {
    /// Has the server discard an upload that will not be resumed.
    func discard() {
        (loader as? HTTPLoader)?.terminateUpload()
        uploadResource = nil
    }

    /// Returns a task's error with the resume data of its upload, if there is any.
    func addingResumeData(to error: (any Error)?) -> (any Error)? {
        guard let error = error as? URLError, let resumeData = makeResumeData() else {
            return error
        }
        return error.adding(resumeData, forKey: NSURLSessionUploadTaskResumeData)
    }

    private func makeResumeData() -> Data? {
        guard let uploadResource, case .http(var request) = specification.resource else {
            return nil
        }
        let content: UploadResumeData.Content
        switch specification.body {
        case .file(let url):
            guard let uploadFile else { return nil }
            content = .file(path: url.path, identity: uploadFile, boot: .current)
        case .data(let data):
            request.body = Array(data)
            content = .bytes
        case .onDemand:
            content = .stream
        case .inRequest, .stream:
            return nil
        }
        let resumeData = UploadResumeData(
            request: request,
            resource: uploadResource,
            content: content
        )
        return (try? resumeData.encoded()).map { Data($0) }
    }

    /// Makes the body of an upload.
    func makeUploadBody() async throws(URLError) -> ResumableUpload.Body {
        switch specification.body {
        case .inRequest: return ResumableUpload.Body(BytesBodySource(Data()))
        case .data(let data): return ResumableUpload.Body(BytesBodySource(data))
        case .onDemand:
            return ResumableUpload.Body(onDemand: specification.request.announcedBodyByteCount)
        case .stream(let stream):
            return ResumableUpload.Body(makeSource(stream), isRepeatable: false)
        case .file(let url): return try await makeFileBody(url)
        }
    }

    private func makeFileBody(_ url: URL) async throws(URLError) -> ResumableUpload.Body {
        let file = try await openFile(url)
        let begun = uploadFile ?? fileOfEarlierTask(like: file) ?? file.identity
        uploadFile = begun
        let source = FileBodySource(file)
        return ResumableUpload.Body(source, name: url.lastPathComponent) { handler in
            file.check(begun) { isUnchanged in
                guard !isUnchanged else { return handler(nil) }
                handler(
                    TransferError(
                        code: .fileChanged,
                        message: "The file was changed after the upload was begun."
                    )
                )
            }
        }
    }

    /// Returns the identity of the file that an earlier task has sent.
    private func fileOfEarlierTask(like file: UploadFile) -> FileIdentity? {
        guard case .file(_, let identity, let boot) = specification.resumption?.content else {
            return nil
        }
        return identity.carriedOver(from: boot, to: file.identity)
    }
}
