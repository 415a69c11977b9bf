import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking
import Synchronization

extension DataTransfer {
    /// What gets the answer.
    func makeLoader() async throws(URLError) -> any ResourceLoader {
        switch order.resource {
        case .local(let url):
            return LocalLoader(url, receiver: self)
        case .custom(let type):
            return ProtocolLoader(type, order.request, receiver: self)
        case .http(let request):
            if let key = SharedLoad.Key(order, configuration: engine.configuration), canShare {
                return makeSharedLoader(request, key)
            }
            let body = try await makeBody()
            return try makeHTTPLoader(request, body, for: self)
        }
    }

    /// A delegate of the task's own hears of the task's own requests.
    private var canShare: Bool {
        if case .file = sink { return false }
        return task.storage.withLock { $0.delegate == nil }
    }

    private func makeSharedLoader(
        _ request: TransferRequest,
        _ key: SharedLoad.Key
    ) -> SharedLoader {
        let (shared, isFirst) = engine.sharedLoad(for: key)
        return SharedLoader(shared, isFirst: isFirst, decider: decider, receiver: self) {
            receiver throws(URLError) in
            try self.makeHTTPLoader(request, .none, for: receiver)
        }
    }

    private func makeHTTPLoader(
        _ request: TransferRequest,
        _ body: Load.Body,
        for receiver: any ResourceReceiver
    ) throws(URLError) -> HTTPLoader {
        HTTPLoader(
            request: request,
            body: body,
            policy: CachePolicy(order.request, configuration: engine.configuration),
            client: try makeClient(for: request),
            cache: usesCache ? engine.cache : nil,
            decider: decider,
            receiver: receiver
        )
    }

    /// Downloads never use the cache, nor do requests with a body of their own.
    private var usesCache: Bool {
        guard case .file = sink else { return order.body.isInRequest }
        return false
    }

    private func makeClient(for request: TransferRequest) throws(URLError) -> HTTPClient {
        do {
            let client = try engine.makeClient()
            self.client = client
            return client
        } catch {
            throw URLError(error, url: URL(string: request.url))
        }
    }

    private func makeBody() async throws(URLError) -> Load.Body {
        switch order.body {
        case .inRequest: return .none
        case .data(let data): return .source(DataBodySource(data))
        case .onDemand: return .onDemand
        case .stream(let stream):
            let length = order.request.announcedBodyByteCount
            return .source(StreamBodySource(stream, byteCount: length))
        case .file(let url):
            let file = try await FileBodySource.open(url, on: DownloadDirectory.queue)
            task.noteExpectedToSend(file.byteCount ?? 0)
            return .source(file)
        }
    }
}
