import FerrySystem
import FerryTransfer
import Foundation
import FoundationNetworking

/// The source of a data task's response: a server, the cache, this machine or the app itself.
@LoopActor
protocol ResourceLoader: AnyObject {
    /// Starts the loader; the receiver is not called from inside this call.
    func start()
    /// Stops delivering the body.
    func pause()
    /// Continues after ``pause()``.
    func resume()
    /// Ends the loader; the receiver is no longer called.
    func cancel()
}

/// The receiver of a response.
@LoopActor
protocol ResourceReceiver: AnyObject {
    /// The response has arrived; if the loader is paused in this call, the body waits until it is resumed.
    func didReceive(_ response: LatestResponse)
    /// A part of the body is about to be told that was decoded.
    func willReceive(_ progress: CodedProgress)
    /// A part of the body has arrived, valid for the duration of the call.
    func didReceive(_ bytes: UnsafeRawBufferPointer)
    /// Decides what to store in the cache.
    func mayStore(
        _ proposed: CachedURLResponse,
        then store: @escaping @LoopActor (CachedURLResponse?) -> Void
    )
    /// The load was redirected to another request; the loader has ended.
    func didRedirect(to request: URLRequest, _ response: URLResponse)
    /// The last call.
    func didFinish(_ error: (any Error)?)
}
