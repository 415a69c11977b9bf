public import Foundation

/// How a task is carried out, beyond what Apple's URLSession lets an app say.
///
/// ```swift
/// var task = session.downloadTask(with: url)
/// task.transferOptions.expectedDigests = [.sha256(hexadecimal: "9f86d081…")!]
/// task.transferOptions.maximumReceiveRate = 500_000
/// task.resume()
/// ```
///
/// A new task has the options of its session's ``URLSessionConfiguration/transferOptions``. Without any,
/// a task behaves as Apple's does.
public struct TransferOptions: Hashable, Sendable {
    /// Digests that the file of a download has to have, all of them.
    ///
    /// Default: none. A file that has another digest is deleted, and its task fails with
    /// `URLError.Code.cannotDecodeContentData`. Where the server tells a digest itself, in `Repr-Digest` or
    /// `Content-Digest` (RFC 9530), the file is compared with that as well.
    public var expectedDigests: [Digest] = []

    /// Other addresses of the resource that a download loads.
    ///
    /// Default: none. Parts of a large body are loaded from all of them, and where one fails the others take its
    /// place. Of each it is proved that it has the same version. Header fields that may be secret go to the
    /// request's own origin only.
    public var mirrors: [URL] = []

    /// How many connections may load parts of a download's body at once.
    ///
    /// Default: nil, for Ferry's choice. 1 loads the body in one go. Values below 1 count as 1.
    public var maximumConnectionsPerDownload: Int?

    /// How many bytes of the task's may arrive per second.
    ///
    /// Default: nil, for as many as can. Values below 1 count as 1. May be changed at any time, also while the
    /// task runs.
    public var maximumReceiveRate: Int64?

    /// How many bytes of the task's may leave per second.
    ///
    /// Default: nil, for as many as can. Values below 1 count as 1. May be changed at any time, also while the
    /// task runs.
    public var maximumSendRate: Int64?

    /// Which attempts that have failed are made again, and when.
    ///
    /// Default: nil. Then tasks of background sessions are tried again as ``Retry`` says without changes, and
    /// others are not.
    public var retry: Retry?

    /// Whether an answer with a status of 400 or more is the result of a download, and its body the file.
    ///
    /// Default: true, as in Apple's library. With false the task fails with `URLError.Code.badServerResponse`,
    /// and its ``URLSessionTask/response`` has the status.
    public var deliversErrorResponses = true

    /// By which protocol an upload can be continued.
    ///
    /// Default: ``UploadProtocol/automatic``.
    public var uploadProtocol = UploadProtocol.automatic

    /// The directory that the app is going to move a download's file to.
    ///
    /// Default: nil. Files of background sessions grow in ferryd's directory below `$XDG_STATE_HOME`. Where this
    /// directory is on another file system of this machine, the file grows there instead, under a hidden name, and
    /// moving it in
    /// ``URLSessionDownloadDelegate/urlSession(_:downloadTask:didFinishDownloadingTo:)`` copies nothing. What is not
    /// delivered is deleted with its task.
    ///
    /// A directory that is missing, cannot be written to, or lies on a network's file system or one of a program's
    /// (FUSE), changes nothing, nor does one in which others than you may write, such as a group or `/tmp`, or whose
    /// path they can change. Sessions that are not background sessions do not look at it. It must be a file URL.
    public var destinationDirectory: URL?

    /// The options that change nothing.
    public init() {}
}

extension TransferOptions {
    /// By which protocol an upload can be continued after a connection has broken.
    public enum UploadProtocol: Hashable, Sendable {
        /// By that which the server offers.
        case automatic
        /// By the IETF's draft "Resumable Uploads for HTTP", where the server offers it.
        case draft
        /// By tus 1.0: the URL is one where uploads are created.
        case tus
        /// By none: it begins anew each time.
        case off
    }
}
