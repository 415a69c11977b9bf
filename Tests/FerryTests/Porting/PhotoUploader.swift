import Ferry
import Foundation

/// Uploads photos as web forms do, with progress.
///
/// Written for Apple's URLSession; only an import is another.
final class PhotoUploader: NSObject, @unchecked Sendable {
    /// A photo, and what is said about it.
    struct Photo: Sendable {
        var fileName: String
        var mimeType = "image/jpeg"
        var data: Data
        var fields: [String: String] = [:]
    }

    /// What the service has refused.
    struct Rejection: Error, Equatable {
        let status: Int
    }

    /// Called on the session's queue with the share that has left, from 0 to 1.
    var onProgress: ((URLSessionTask, Double) -> Void)?

    private struct Upload {
        var received = Data()
        var completionHandler: (Result<Data, any Error>) -> Void
    }

    // Guards what follows: callers and the session's queue both use it.
    private let lock = NSLock()
    private var uploads: [Int: Upload] = [:]

    private lazy var session = URLSession(
        configuration: .ephemeral,
        delegate: self,
        delegateQueue: nil
    )

    func finish() {
        session.finishTasksAndInvalidate()
    }

    // MARK: - Ways to upload

    /// Uploads a form from memory, with a delegate that is told how far it is.
    @discardableResult
    func upload(
        _ photo: Photo,
        to url: URL,
        completionHandler: @escaping @Sendable (Result<Data, any Error>) -> Void
    ) -> URLSessionUploadTask {
        let boundary = "Boundary-\(UUID().uuidString)"
        let task = session.uploadTask(
            with: request(to: url, boundary: boundary),
            from: form(for: photo, boundary: boundary)
        )
        start(task, completionHandler)
        return task
    }

    /// Uploads a file as it is.
    @discardableResult
    func uploadFile(
        _ file: URL,
        to url: URL,
        completionHandler: @escaping @Sendable (Result<Data, any Error>) -> Void
    ) -> URLSessionUploadTask {
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
        let task = session.uploadTask(with: request, fromFile: file)
        start(task, completionHandler)
        return task
    }

    /// Uploads a form with a completion handler alone.
    func uploadSimply(
        _ photo: Photo,
        to url: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) {
        let boundary = "Boundary-\(UUID().uuidString)"
        let body = form(for: photo, boundary: boundary)
        URLSession.shared.uploadTask(
            with: request(to: url, boundary: boundary),
            from: body,
            completionHandler: completionHandler
        ).resume()
    }

    /// Uploads a form, and waits for the answer.
    func upload(_ photo: Photo, to url: URL) async throws -> Data {
        let boundary = "Boundary-\(UUID().uuidString)"
        let (data, response) = try await session.upload(
            for: request(to: url, boundary: boundary),
            from: form(for: photo, boundary: boundary)
        )
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard (200..<300).contains(status) else { throw Rejection(status: status) }
        return data
    }

    /// Uploads a file, and waits for the answer.
    func upload(file: URL, to url: URL) async throws -> Data {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        return try await session.upload(for: request, fromFile: file).0
    }

    // MARK: - Parts

    private func start(
        _ task: URLSessionUploadTask,
        _ completionHandler: @escaping @Sendable (Result<Data, any Error>) -> Void
    ) {
        lock.withLock {
            uploads[task.taskIdentifier] = Upload(completionHandler: completionHandler)
        }
        task.resume()
    }

    private func request(to url: URL, boundary: String) -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue(
            "multipart/form-data; boundary=\(boundary)",
            forHTTPHeaderField: "Content-Type"
        )
        return request
    }

    private func form(for photo: Photo, boundary: String) -> Data {
        var body = Data()
        for (name, value) in photo.fields.sorted(by: { $0.key < $1.key }) {
            body.append(Data("--\(boundary)\r\n".utf8))
            body.append(Data("Content-Disposition: form-data; name=\"\(name)\"\r\n\r\n".utf8))
            body.append(Data("\(value)\r\n".utf8))
        }
        let disposition = "form-data; name=\"photo\"; filename=\"\(photo.fileName)\""
        body.append(Data("--\(boundary)\r\n".utf8))
        body.append(Data("Content-Disposition: \(disposition)\r\n".utf8))
        body.append(Data("Content-Type: \(photo.mimeType)\r\n\r\n".utf8))
        body.append(photo.data)
        body.append(Data("\r\n--\(boundary)--\r\n".utf8))
        return body
    }
}

// MARK: - URLSessionDataDelegate

extension PhotoUploader: URLSessionDataDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        guard totalBytesExpectedToSend > 0 else { return }
        onProgress?(task, Double(totalBytesSent) / Double(totalBytesExpectedToSend))
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        // The page that comes with an error is of no interest.
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        completionHandler(status < 400 ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        lock.withLock { uploads[dataTask.taskIdentifier]?.received.append(data) }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        let upload = lock.withLock { uploads.removeValue(forKey: task.taskIdentifier) }
        guard let upload else { return }
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
        if status >= 400 {
            upload.completionHandler(.failure(Rejection(status: status)))
        } else if let error {
            upload.completionHandler(.failure(error))
        } else {
            upload.completionHandler(.success(upload.received))
        }
    }
}
