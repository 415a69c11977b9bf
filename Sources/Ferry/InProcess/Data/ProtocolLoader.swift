import FerrySystem
import Foundation
import FoundationNetworking

/// A loader that gets a response from an object of one of the app's protocol classes.
@LoopActor
final class ProtocolLoader: ResourceLoader {
    private let type: ProtocolClass
    private let request: URLRequest
    private let task: URLSessionTask
    private weak var receiver: (any ResourceReceiver)?
    private let instance = ProtocolInstance()
    private var isPaused = false
    private var hasEnded = false
    private var hasResponse = false
    /// The reports received while the loader was paused.
    private var held: [ProtocolClient.Report] = []

    init(
        _ type: ProtocolClass,
        _ request: URLRequest,
        of task: URLSessionTask,
        receiver: any ResourceReceiver
    ) {
        self.type = type
        self.request = request
        self.task = task
        self.receiver = receiver
    }

    func start() {
        instance.start(
            type,
            request,
            of: task,
            client: ProtocolClient { [weak self] in self?.take($0) }
        )
    }

    func pause() { isPaused = true }

    func resume() {
        isPaused = false
        while !isPaused, !hasEnded, !held.isEmpty { handle(held.removeFirst()) }
    }

    func cancel() {
        guard !hasEnded else { return }
        end()
    }

    private func take(_ report: ProtocolClient.Report) {
        guard !hasEnded else { return }
        if isPaused || !held.isEmpty { held.append(report) } else { handle(report) }
    }

    private func handle(_ report: ProtocolClient.Report) {
        switch report {
        case .response(let response):
            hasResponse = true
            receiver?.didReceive(LatestResponse(response))
        case .data(let data):
            guard hasResponse, !data.isEmpty else { return }
            data.withUnsafeBytes { receiver?.didReceive($0) }
        case .redirect(let next, let response):
            let receiver = receiver
            end()
            receiver?.didRedirect(to: next, response)
        case .finished:
            finish(hasResponse ? nil : URLError(.badServerResponse, url: request.url))
        case .failed(let error):
            finish(error)
        }
    }

    private func finish(_ error: (any Error)?) {
        let receiver = receiver
        end()
        receiver?.didFinish(error)
    }

    /// Stops the object, which Apple's library does at its end, too.
    private func end() {
        hasEnded = true
        held = []
        receiver = nil
        instance.stop()
    }
}
