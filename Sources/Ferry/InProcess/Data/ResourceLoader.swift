import FerrySystem
import Foundation
import FoundationNetworking

/// Where the answer to a data task comes from: a server, the cache, this machine, the app itself.
@LoopActor
protocol ResourceLoader: AnyObject {
    /// Begins; nothing is told from inside of this call.
    func start()
    /// Hands over no more of the body.
    func pause()
    /// Goes on after ``pause()``.
    func resume()
    /// Ends it; nothing is told any more.
    func cancel()
}

/// Who gets the answer.
@LoopActor
protocol ResourceReceiver: AnyObject {
    /// The response is there; its body waits until the loader is resumed, if it is paused in here.
    func didReceive(_ response: LatestResponse)
    /// A part of the body is there, for the duration of the call.
    func didReceive(_ bytes: UnsafeRawBufferPointer)
    /// What is to be stored in the cache is to be decided on.
    func mayStore(
        _ proposed: CachedURLResponse,
        then store: @escaping @LoopActor (CachedURLResponse?) -> Void
    )
    /// Something else is to be asked for in place of this; the loader has ended.
    func didRedirect(to request: URLRequest, _ response: URLResponse)
    /// The last message.
    func didFinish(_ error: (any Error)?)
}
