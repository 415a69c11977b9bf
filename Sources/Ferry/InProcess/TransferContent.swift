import FerryHTTP
import FerrySystem
import FerryTransfer

extension InProcessTransfer {
    /// The cause of a task's end.
    enum Ending: Hashable {
        /// The content is complete or has failed.
        case content
        /// The app has cancelled the task.
        case cancelled(producingResumeData: Bool)
        /// The resource timeout has expired.
        case timedOut
    }

    /// What a task loads: data for the app (``DataContent``), or a file (``DownloadContent``).
    @LoopActor
    protocol Content: AnyObject {
        /// The task's transfer, which is told what becomes of the content.
        var transfer: InProcessTransfer? { get set }
        var decider: TaskDecider { get }
        /// The host for which the next request's connection is counted; empty if it needs none.
        var host: String { get }
        /// The client that has sent the latest requests.
        var client: HTTPClient? { get }
        /// The transfer that inherits the connection, because it shares what this one has loaded.
        var heir: InProcessTransfer? { get }

        /// Joins an equal request, or makes one that others can join.
        ///
        /// - Returns: Whether it has joined one, so that the task needs no connection.
        func join() -> Bool
        /// Makes the next requests for this task alone, and leaves those that others share.
        func continueAlone()
        /// Prepares to be suspended.
        ///
        /// - Parameter isSharing: Whether another task makes the request.
        /// - Returns: Whether it can stop loading and continue later; otherwise its body is paused.
        func leave(isSharing: Bool) -> Bool
        /// Starts to load, or continues.
        func load()
        /// Pauses the body, or continues it.
        func updateFlow()
        /// Stops loading; what can be continued later is kept.
        func stop()
        /// Discards what a server has kept of the content; the app will not continue it.
        func discard()
        /// Delivers the end of the task to the app; the last call.
        func end(_ ending: Ending)

        /// The app has read the data that was held back.
        func appCaughtUp()
        /// The app has another address for the resource, without being asked.
        func relink(to request: TransferRequest)
        /// Asks the app for another address in place of one that has expired.
        func askForLink()
    }
}
