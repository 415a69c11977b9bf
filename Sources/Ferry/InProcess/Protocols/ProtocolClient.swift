import FerrySystem
import Foundation
import FoundationNetworking

/// A client that passes the reports of an app's protocol object, on any thread, to the event loop.
final class ProtocolClient: NSObject, URLProtocolClient, Sendable {
    /// A report of a protocol object.
    enum Report: Sendable {
        case response(URLResponse, URLCache.StoragePolicy)
        case data(Data)
        case finished
        case failed(any Error)
        case redirect(URLRequest, URLResponse)
    }

    private let receiver: @LoopActor (Report) -> Void

    init(_ receiver: @escaping @LoopActor (Report) -> Void) {
        self.receiver = receiver
    }

    private func report(_ report: Report) {
        LoopActor.perform { [receiver] in receiver(report) }
    }

    func urlProtocol(
        _ protocol: FoundationNetworking.URLProtocol,
        wasRedirectedTo request: URLRequest,
        redirectResponse: URLResponse
    ) {
        report(.redirect(request, redirectResponse))
    }

    func urlProtocol(
        _ protocol: FoundationNetworking.URLProtocol,
        cachedResponseIsValid cachedResponse: CachedURLResponse
    ) {
        // It is stored already.
        report(.response(cachedResponse.response, .notAllowed))
        report(.data(cachedResponse.data))
    }

    func urlProtocol(
        _ protocol: FoundationNetworking.URLProtocol,
        didReceive response: URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy
    ) {
        report(.response(response, policy))
    }

    func urlProtocol(_ protocol: FoundationNetworking.URLProtocol, didLoad data: Data) {
        report(.data(data))
    }

    func urlProtocolDidFinishLoading(_ protocol: FoundationNetworking.URLProtocol) {
        report(.finished)
    }

    func urlProtocol(
        _ protocol: FoundationNetworking.URLProtocol,
        didFailWithError error: any Error
    ) {
        report(.failed(error))
    }

    /// Does nothing: Apple's library does not pass on challenges of protocol objects either.
    func urlProtocol(
        _ protocol: FoundationNetworking.URLProtocol,
        didReceive challenge: URLAuthenticationChallenge
    ) {}

    func urlProtocol(
        _ protocol: FoundationNetworking.URLProtocol,
        didCancel challenge: URLAuthenticationChallenge
    ) {}
}
