import Foundation
import FoundationNetworking

/// Tasks that send something.
extension SessionCore {
    /// Makes an upload task and tells the delegate so.
    func makeUploadTask(
        _ request: URLRequest,
        sending body: DataBody,
        of session: URLSession,
        for recipient: URLSessionDataTask.Recipient = .delegate,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) -> URLSessionUploadTask {
        if case .handler = recipient { requireForeground() }
        if isBackground { return makeBackgroundUploadTask(request, sending: body, of: session) }
        return makeDataTask(
            request,
            body,
            session,
            recipient,
            delegate,
            make: uploadTaskMaker(for: recipient)
        )
    }

    /// Makes a task from resume data of an upload, of which there is none that could be used.
    func makeFailingUploadTask(
        of session: URLSession,
        for recipient: URLSessionDataTask.Recipient
    ) -> URLSessionUploadTask {
        if case .handler = recipient { requireForeground() }
        let reason = "Uploads cannot be continued on Linux."
        let order = Result<DataOrder, URLError>.failure(
            URLError(.unsupportedURL, url: nil, reason: reason)
        )
        let storage = makeStorage(of: session, nil, nil)
        return makeTask(
            order,
            of: session,
            storage: storage,
            make: uploadTaskMaker(for: recipient),
            add: { _, _ in }
        )
    }

    /// Makes an upload task that the daemon carries out, which cannot have the app's memory.
    private func makeBackgroundUploadTask(
        _ request: URLRequest,
        sending body: DataBody,
        of session: URLSession
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
        let order = Result { () throws(URLError) in
            try UploadOrder(request, sending: file, configuration: configuration)
        }
        var storage = makeStorage(of: session, request, nil)
        storage.sentCounts.expected =
            (try? order.get())?.byteCount ?? NSURLSessionTransferSizeUnknown
        return makeTask(
            order,
            of: session,
            storage: storage,
            make: uploadTaskMaker(for: .delegate),
            add: { backend.add($0, $1) }
        )
    }

    /// What puts an upload task together.
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
