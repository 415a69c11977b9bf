import Ferry
import Foundation

/// A background session as the commands use it.
struct OpenSession: Sendable {
    /// Opens a session from its identifier, the options of its transfers, the object that takes its files, and the
    /// closure that receives their outcomes.
    typealias Opener =
        @Sendable (String, SessionOptions, FileTaker, @escaping CommandSession.Report) -> Self

    /// The session's identifier.
    let identifier: String
    /// Starts a download; nil when the session has ended.
    let download: @Sendable (URLRequest, TransferOptions, Destination) throws -> TransferRow.ID?
    /// Starts an upload of a file; nil when the session has ended.
    let upload:
        @Sendable (_ path: String, URLRequest, TransferOptions, EndCommand?) throws ->
            TransferRow.ID?
    /// Lets the transfers begin that were started suspended, and waits until ferryd has recorded that.
    var resume: @Sendable () async -> Void = {}
    /// Waits until ferryd has recorded all requests and acknowledgements so far.
    let settle: @Sendable () async -> Void
    /// Ends the session permanently, when its transfers are over.
    let finish: @Sendable () async -> Void

    /// Opens a session with ferryd.
    static let live: Opener = { identifier, options, taker, report in
        _ = Application.ferry
        let session = CommandSession.open(identifier, options, taker: taker, report: report)
        return OpenSession(
            identifier: identifier,
            download: { try session.download($0, $1, to: $2) },
            upload: { session.upload($0, $1, $2, $3) },
            resume: { await session.resume() },
            settle: { await session.settle() },
            finish: { await session.finish() }
        )
    }
}
