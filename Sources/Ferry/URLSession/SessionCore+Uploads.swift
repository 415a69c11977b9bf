import FerryTransfer
import Foundation
import FoundationNetworking

/// Upload tasks.
extension SessionCore {
    /// Makes an upload task and notifies the delegate.
    func makeUploadTask(
        _ request: URLRequest,
        sending body: DataBody,
        of session: URLSession,
        for recipient: URLSessionDataTask.Recipient = .delegate,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) -> URLSessionUploadTask {
        if case .handler = recipient { requireForeground() }
        switch carrier {
        case .daemon(let backend):
            return makeBackgroundUploadTask(request, sending: body, of: session, on: backend)
        case .process(let backend):
            return makeDataTask(
                request,
                body,
                session,
                recipient,
                delegate,
                on: backend,
                make: uploadTaskMaker(for: recipient)
            )
        }
    }

    /// Makes a task that resumes an upload, and notifies the delegate.
    func makeUploadTask(
        from resumeData: Data,
        of session: URLSession,
        for recipient: URLSessionDataTask.Recipient
    ) -> URLSessionUploadTask {
        if case .handler = recipient { requireForeground() }
        let resumption = Result { () throws(URLError) in
            try UploadResumption(resumeData, isBackground: isBackground)
        }
        switch carrier {
        case .daemon(let backend):
            return makeBackgroundUploadTask(resumption, of: session, on: backend)
        case .process(let backend):
            return makeUploadTask(resumption, of: session, for: recipient, on: backend)
        }
    }

    /// Makes a task that resumes an upload in the app's process.
    private func makeUploadTask(
        _ resumption: Result<UploadResumption, URLError>,
        of session: URLSession,
        for recipient: URLSessionDataTask.Recipient,
        on backend: InProcessBackend
    ) -> URLSessionUploadTask {
        let specification = resumption.map { DataTaskSpecification($0) }
        var storage = makeStorage(of: session, try? resumption.get().request, nil)
        storage.madeFor = (try? resumption.get())?.resumeData.request.madeFor
        storage.sentCounts =
            (try? specification.get()).map {
                URLSessionTask.SentByteCounts(of: $0.body, for: $0.request)
            } ?? URLSessionTask.SentByteCounts(expected: NSURLSessionTransferSizeUnknown)
        return makeTask(
            specification,
            of: session,
            storage: storage,
            make: uploadTaskMaker(for: recipient),
            add: { backend.add($0, $1) }
        )
    }

    /// Makes an upload task that the daemon resumes; it cannot send the app's memory.
    private func makeBackgroundUploadTask(
        _ resumption: Result<UploadResumption, URLError>,
        of session: URLSession,
        on backend: BackgroundBackend
    ) -> URLSessionUploadTask {
        let configuration = configuration
        let specification = resumption.flatMap { resumption in
            Result { () throws(URLError) in
                try UploadTaskSpecification(resumption, configuration: configuration)
            }
        }
        return makeBackgroundUploadTask(
            specification,
            try? resumption.get().request,
            of: session,
            on: backend
        )
    }

    /// Makes an upload task that the daemon carries out; it cannot send the app's memory.
    private func makeBackgroundUploadTask(
        _ request: URLRequest,
        sending body: DataBody,
        of session: URLSession,
        on backend: BackgroundBackend
    ) -> URLSessionUploadTask {
        let file: URL
        switch body {
        case .file(let url):
            file = url
        case .data, .inRequest:
            preconditionFailure(
                "Upload tasks from NSData are not supported in background sessions."
            )
        case .stream, .onDemand:
            preconditionFailure("Upload tasks in background sessions must be from a file.")
        }
        let specification = Result { () throws(URLError) in
            try UploadTaskSpecification(request, sending: file, configuration: configuration)
        }
        return makeBackgroundUploadTask(specification, request, of: session, on: backend)
    }

    private func makeBackgroundUploadTask(
        _ specification: Result<UploadTaskSpecification, URLError>,
        _ request: URLRequest?,
        of session: URLSession,
        on backend: BackgroundBackend
    ) -> URLSessionUploadTask {
        var storage = makeStorage(of: session, request, nil)
        storage.sentCounts.expected =
            (try? specification.get())?.file.byteCount ?? NSURLSessionTransferSizeUnknown
        return makeTask(
            specification,
            of: session,
            storage: storage,
            make: uploadTaskMaker(for: .delegate),
            add: { backend.add($0, $1) }
        )
    }

    /// Returns a closure that makes an upload task.
    private func uploadTaskMaker(
        for recipient: URLSessionDataTask.Recipient
    ) -> (Int, any TaskBackend, URLSessionTask.Storage) -> URLSessionUploadTask {
        { identifier, backend, storage in
            URLSessionUploadTask(
                identifier: identifier,
                core: self,
                backend: backend,
                recipient: recipient,
                storage: storage
            )
        }
    }
}
