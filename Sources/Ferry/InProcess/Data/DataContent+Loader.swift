import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking

extension DataContent {
    /// Makes the loader that gets the response.
    func makeLoader() async throws(URLError) -> any ResourceLoader {
        switch specification.resource {
        case .local(let url):
            return LocalLoader(url, receiver: self)
        case .custom(let type):
            let request = specification.body.attached(to: specification.request)
            return ProtocolLoader(
                type,
                request,
                of: task,
                cache: usesCache ? engine.cache : nil,
                policy: CachePolicy(specification.request, configuration: engine.configuration),
                receiver: self
            )
        case .http(let request):
            let body = try await makeRequestBody(request)
            return try makeHTTPLoader(request, body, for: self)
        }
    }

    /// Makes a loader that gets the response by HTTP, for this task or for all tasks that share its request.
    func makeHTTPLoader(
        _ request: TransferRequest,
        _ body: RequestBody,
        for receiver: any ResourceReceiver
    ) throws(URLError) -> HTTPLoader {
        HTTPLoader(
            request: request,
            body: body,
            policy: CachePolicy(specification.request, configuration: engine.configuration),
            client: try makeClient(for: request),
            cache: usesCache ? engine.cache : nil,
            decider: decider,
            gate: transfer?.gate,
            receiver: receiver
        )
    }

    /// Downloads never use the cache, nor do requests with a body of their own, or for which an option allows less than for others.
    var usesCache: Bool {
        guard case .file = sink else {
            return specification.body.isInRequest
                && decider.allowsSharing
        }
        return false
    }

    private func makeClient(for request: TransferRequest) throws(URLError) -> HTTPClient {
        do {
            return try engine.makeClient()
        } catch {
            throw URLError(error, url: URL(string: request.url))
        }
    }

    private func makeRequestBody(
        _ request: TransferRequest
    ) async throws(URLError) -> RequestBody {
        guard task is URLSessionUploadTask else { return .plain(try await makeBody()) }
        return .upload(
            RequestBody.Upload(
                body: try await makeUploadBody(),
                resource: uploadResource,
                protocols: task.transferOptions.uploadProtocols ?? engine.uploadProtocols,
                onChange: { [weak self] in self?.uploadResource = $0 }
            )
        )
    }

    private func makeBody() async throws(URLError) -> Load.Body {
        switch specification.body {
        case .inRequest: return .none
        case .data(let data): return .source(BytesBodySource(data))
        case .onDemand: return .onDemand
        case .stream(let stream): return .source(makeSource(stream))
        case .file(let url): return .source(FileBodySource(try await openFile(url)))
        }
    }

    func makeSource(_ stream: BodyStream) -> StreamBodySource {
        StreamBodySource(stream, byteCount: specification.request.announcedBodyByteCount)
    }

    func openFile(_ url: URL) async throws(URLError) -> UploadFile {
        let file = try await UploadFile.open(url)
        task.recordExpectedToSend(file.byteCount)
        return file
    }
}
