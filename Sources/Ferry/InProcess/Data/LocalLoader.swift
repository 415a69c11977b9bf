import FerrySystem
import Foundation
import FoundationNetworking

/// A loader that gets a response from a local file, or from the URL itself.
@LoopActor
final class LocalLoader: ResourceLoader {
    private let url: URL
    private weak var receiver: (any ResourceReceiver)?
    private var isPaused = false
    private var hasEnded = false
    /// The continuation that waits while the loader is paused.
    private var waiter: CheckedContinuation<Void, Never>?

    init(_ url: URL, receiver: any ResourceReceiver) {
        self.url = url
        self.receiver = receiver
    }

    func start() {
        LoopActor.task { [self] in
            do throws(URLError) {
                if url.isFileURL { try await readFile() } else { try await readURL() }
                finish(nil)
            } catch {
                finish(error)
            }
        }
    }

    func pause() { isPaused = true }

    func resume() {
        isPaused = false
        wake()
    }

    func cancel() {
        hasEnded = true
        receiver = nil
        wake()
    }

    private func wake() {
        let waiter = waiter
        self.waiter = nil
        waiter?.resume()
    }

    private func readURL() async throws(URLError) {
        let content = try DataURL(url)
        receiver?.didReceive(LatestResponse(content.response(to: url)))
        await hand(over: content.data)
    }

    private func readFile() async throws(URLError) {
        let file = try await LocalFile.open(url, on: AppFiles.queue)
        receiver?.didReceive(LatestResponse(file.response))
        while !hasEnded {
            let piece = try await file.read(upTo: Self.pieceByteCount)
            guard !piece.isEmpty else { return await waitWhilePaused() }
            await hand(over: piece)
        }
    }

    private func hand(over data: Data) async {
        await waitWhilePaused()
        guard !hasEnded, !data.isEmpty else { return }
        data.withUnsafeBytes { receiver?.didReceive($0) }
    }

    private func waitWhilePaused() async {
        while isPaused, !hasEnded {
            await withCheckedContinuation { continuation in
                // The loop may have run in between and resumed this loader.
                if isPaused, !hasEnded { waiter = continuation } else { continuation.resume() }
            }
        }
    }

    private func finish(_ error: URLError?) {
        guard !hasEnded else { return }
        hasEnded = true
        receiver?.didFinish(error)
    }

    private static let pieceByteCount = 256 << 10
}
