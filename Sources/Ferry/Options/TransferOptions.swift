import FerryHTTP
import FerryTransfer
public import Foundation
public import FoundationNetworking

/// The options of a task beyond those of Apple's URLSession.
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
    /// The digests that a download's file must match, all of them.
    ///
    /// Default: none. A file with another digest is deleted, and its task fails with
    /// `URLError.Code.cannotDecodeContentData`. If the server itself sends a digest, in `Repr-Digest` or
    /// `Content-Digest` (RFC 9530), the file is compared with that as well.
    public var expectedDigests: [Digest] = []

    /// Other addresses of the resource that a download loads.
    ///
    /// Default: none. Parts of a large body are loaded from all of them; if one fails, the others take its place. Each
    /// mirror is verified to have the same version. Header fields that may be secret are sent to the request's own
    /// origin only.
    public var mirrors: [URL] = []

    /// The maximum number of connections that load parts of a download's body at once.
    ///
    /// Default: nil, for Ferry's choice. 1 loads the body in one go. Values below 1 count as 1.
    public var maximumConnectionsPerDownload: Int?

    /// The maximum number of bytes that the task receives per second.
    ///
    /// Default: nil, for no limit. Values below 1 count as 1. May be changed at any time, also while the
    /// task runs.
    public var maximumReceiveRate: Int64?

    /// The maximum number of bytes that the task sends per second.
    ///
    /// Default: nil, for no limit. Values below 1 count as 1. May be changed at any time, also while the
    /// task runs.
    public var maximumSendRate: Int64?

    /// The rules for retrying failed attempts.
    ///
    /// Default: nil. In that case tasks of background sessions are retried by the default rules of ``Retry``, and other
    /// tasks are not retried.
    public var retry: Retry?

    /// Whether a response with a status of 400 or more is the result of a download, and its body the file.
    ///
    /// Default: true, as in Apple's library. With false the task fails with `URLError.Code.badServerResponse`,
    /// and its ``URLSessionTask/response`` has the status.
    ///
    /// A download that has bytes already fails in either case, with resume data: the response does not replace them.
    public var deliversErrorResponses = true

    /// Whether a download that has bytes waits when its server refuses the rest of them, as for a link that has expired.
    ///
    /// Default: false. The task then fails with `URLError.Code.badServerResponse`, with resume data in
    /// `downloadTaskResumeData` and the status in its ``URLSessionTask/response``. With true it waits, with its bytes,
    /// until the resource timeout: for another address (``URLSessionDownloadTask/relink(to:)``,
    /// ``TransferDaemon/relink(_:to:)``, `ferry relink`), and in the end for the old one, which is asked again after
    /// growing delays of at most an hour. ``TransferDaemon/Transfer/Wait/reason`` is then
    /// ``TransferDaemon/Transfer/Wait/Reason/expiredLink``. A status of 400 or more counts, unless it says that the server is
    /// unavailable (408, 429, 500 to 599) or that a proxy wants a password (407): such a request is made again anyway.
    /// With ``URLSessionConfiguration/replacesExpiredLinks`` the delegate is asked first. Apple has no such option.
    public var holdsExpiredLinks = false

    /// The protocol by which an upload can be resumed.
    ///
    /// Default: ``UploadProtocol/automatic``.
    public var uploadProtocol = UploadProtocol.automatic

    /// The directory to which the app is going to move a download's file.
    ///
    /// Default: nil. Background sessions write files in ferryd's directory below `$XDG_STATE_HOME`. If this directory
    /// is on another local file system, the file is written there instead, under a hidden name, and moving it in
    /// ``URLSessionDownloadDelegate/urlSession(_:downloadTask:didFinishDownloadingTo:)`` copies nothing. Files that are
    /// not delivered are deleted with their task.
    ///
    /// A directory has no effect if it is missing, not writable, or on a network or FUSE file system, or if others can
    /// write to it, such as a group or anyone (`/tmp`), or can change its path. Sessions other than background sessions
    /// ignore it. It must be a file URL.
    public var destinationDirectory: URL?

    /// Whether the machine does not sleep by itself while the task runs.
    ///
    /// Default: false. ferryd then holds an inhibitor of systemd-logind (`sleep`, mode `block`) from a second or so after
    /// the task has started, but not while the task waits, is paused, or has failed and is retried later. The screen
    /// still turns off, and a user can still close the lid or have the machine sleep. If there is no logind or it
    /// refuses, as it does by default to users who have logged in only over the network, the transfer runs all the same,
    /// and the daemon's log says so. Sessions other than background sessions ignore it. Apple has no such option; an app
    /// there uses `ProcessInfo.beginActivity(options:reason:)`.
    public var keepsMachineAwake = false

    /// The conditions of the machine under which a background transfer does not run, besides those that its session's
    /// configuration and its request exclude.
    ///
    /// Default: none. While the machine is in one of them, the transfer waits, with the bytes that it has, and
    /// ``TransferDaemon/Transfer/Wait/reason`` names the condition; when it ends, the transfer goes on by itself. That may
    /// be changed at any time. `ferry resume --now` lets a transfer run all the same. Sessions other than background
    /// sessions ignore it.
    public var avoidedConditions: Conditions = []

    /// The maximum time for making a connection, from the lookup of the host's name to the end of the TLS handshake.
    ///
    /// Default: nil, for 15 seconds. Zero and less mean no limit but the request's time-out, which always applies as well. If
    /// a host has several addresses, they share the time, so that the second is tried when the first does not respond. When
    /// it is over, the attempt fails with `URLError.Code.timedOut`. The time that a task waits for a free connection of its
    /// session does not count. WebSocket tasks always have the default. Apple has no such option: there, the request's
    /// time-out counts alone.
    public var connectTimeout: Duration?

    /// The number of bytes per second that must arrive at least, over each of the task's connections.
    ///
    /// Default: nil, for no minimum. If fewer arrive during the request's time-out (`URLRequest.timeoutInterval`), the attempt
    /// fails with `URLError.Code.timedOut`, and the next one continues it over another connection, as far as
    /// ``retry`` allows. Time before the response, and time in which the task is paused or held up by a limit of its rate or by its
    /// receiver, does not count. Values below 1 count as 1. Apple has no such option. curl has `--speed-limit`.
    public var minimumReceiveRate: Int64?

    /// The maximum number of redirects that are followed in a row.
    ///
    /// Default: nil, for 20. With 0, none is followed. One more fails the task with
    /// `URLError.Code.httpTooManyRedirects`. Values below 0 count as 0. Apple has no such option: there, it is always 20.
    public var maximumRedirects: Int?

    /// Cookies for the requests of a background task, those that follow redirects included.
    ///
    /// Default: none. Each request gets those that are for its URL (RFC 6265 §5.4), with those that servers have set
    /// meanwhile, unless it has a `Cookie` field of its own. The first 150 are used. Sessions other than background sessions
    /// ignore them; those have ``URLSessionConfiguration/httpCookieStorage``. Apple has no such option.
    public var cookies: [HTTPCookie] {
        get { ownCookies.compactMap { HTTPCookie.make($0) } }
        set { ownCookies = newValue.map(\.plain) }
    }
    /// The cookies as values.
    var ownCookies: [Cookie] = []

    /// Whether redirects lead to https servers alone.
    ///
    /// Default: false. With true, one to an http server fails the task with
    /// `URLError.Code.unsupportedURL`. Apple has no such option; App Transport Security forbids http altogether.
    public var requiresHTTPS = false

    /// The maximum length of a download's file in bytes.
    ///
    /// Default: nil, for any. A longer file fails the task with `URLError.Code.dataLengthExceedsMaximum`: before any of it
    /// is loaded if the server says how long it is, and otherwise when it is too long. Values below 1 count as 1. Other
    /// tasks than downloads ignore it; see ``URLSessionConfiguration/maximumInMemoryBodySize``. Apple has no such option.
    public var maximumFileSize: Int64?

    /// Whether any certificate of a server is accepted, without asking the delegate.
    ///
    /// Default: false. With true, nobody knows who the server is: neither what is sent nor what is received is safe from who
    /// can reach the network in between. It holds for the task's URL, its redirects and its mirrors, but not for a proxy.
    /// Such a task shares neither a connection nor a response with other tasks, and uses no cache. `ferry list` says so of
    /// its background transfers. libcurl's `CURLOPT_SSL_VERIFYPEER`.
    public var acceptsInvalidCertificates = false

    /// Creates options that change nothing.
    public init() {}
}

extension TransferOptions {
    /// The protocols by which an upload can be resumed after a connection has broken.
    public enum UploadProtocol: Hashable, Sendable {
        /// The protocol that the server offers.
        case automatic
        /// The IETF's draft "Resumable Uploads for HTTP", if the server offers it.
        case draft
        /// tus 1.0: the URL is one where uploads are created.
        case tus
        /// None: an upload starts over each time.
        case off
    }
}

extension TransferOptions {
    /// The rules for retrying failed attempts.
    ///
    /// Failures that may be temporary are retried: time-outs, hosts that cannot be found or connected to, broken
    /// connections, no network, and responses with a status that says so. Part of each delay is random, so that clients
    /// do not come back all at once. A server's `Retry-After` may make the delay longer, never shorter. The resource
    /// timeout (``URLSessionConfiguration/timeoutIntervalForResource``) bounds all attempts.
    public struct Retry: Hashable, Sendable {
        /// The number of consecutive attempts that may fail before the task fails.
        ///
        /// Default: nil, for as many as there is time for. The count restarts when there are more bytes than ever
        /// before: bytes that are lost and fetched again do not count. Values below 1 count as 1.
        public var maximumAttempts: Int?
        /// The number of consecutive attempts that may fail before the task fails, if its server has never answered.
        ///
        /// For requests that will most likely never succeed: to a host that does not exist, refuses connections or does
        /// not respond. Default: nil, for ``maximumAttempts``. Attempts without a network do not count. Values below 1
        /// count as 1.
        ///
        /// In a background session it is for a program that waits. A response to any of the app's tasks counts for all
        /// of them, as far as the daemon knows of it. A task that fails while no program has the session open loses
        /// this limit.
        public var maximumUnansweredAttempts: Int?
        /// The maximum delay between the first failure in a row and the next attempt.
        ///
        /// Default: 1 second. Values below a tenth of a second count as that.
        public var firstDelay = Duration.seconds(1)
        /// The factor by which each further delay is longer.
        ///
        /// Default: 2. Values below 1 count as 1.
        public var factor = 2.0
        /// The longest delay.
        ///
        /// Default: 5 minutes. Values below a tenth of a second count as that.
        public var maximumDelay = Duration.seconds(300)
        /// The status codes, from 400 to 599, of responses that are retried.
        ///
        /// Default: nil. In that case they are 408, 429 and 500 to 599, at most ten times in a row, and only if bytes
        /// of an earlier attempt are held or the server says when to come back. Without ``maximumAttempts``, named ones
        /// are also retried ten times in a row at most; the next such response is the answer.
        public var statuses: Set<Int>?

        /// Creates the default rules for tasks of background sessions.
        public init() {}
    }
}

extension TransferOptions {
    /// The digests, in the form that transfers use.
    var digests: [FerryTransfer.Digest] {
        expectedDigests.compactMap { digest in
            FerryTransfer.Digest.Algorithm(rawValue: digest.algorithm.rawValue)
                .map { FerryTransfer.Digest($0, Array(digest.value)) }
        }
    }
}

extension TransferOptions {
    /// Whether what is loaded may be given to other tasks with the same request as well.
    var allowSharing: Bool {
        !acceptsInvalidCertificates && minimumReceiveRate == nil && maximumRedirects == nil
            && !requiresHTTPS && maximumFileSize == nil
    }

    /// The options of each request's load.
    ///
    /// - Parameters:
    ///   - protocolChoice: The protocol to ask for.
    ///   - asksForTrust: Whether the app decides about certificates.
    ///   - acceptedCodings: The content codings to ask for; nil for none.
    ///   - rates: How fast bodies may arrive and leave.
    /// - Returns: The configuration of a load.
    func load(
        by protocolChoice: HTTPRequest.ProtocolChoice = .http1,
        asksForTrust: Bool,
        acceptedCodings: String? = nil,
        rates: TransferRates
    ) -> Load.Configuration {
        Load.Configuration(
            redirectPolicy: RedirectPolicy(
                maximumCount: maximumRedirects.map { max($0, 0) },
                requiresTLS: requiresHTTPS
            ),
            protocolChoice: protocolChoice,
            asksForTrust: asksForTrust,
            acceptedCodings: acceptedCodings,
            rates: rates,
            connectTimeout: connectTimeout.map { max($0, .zero) },
            minimumReceiveRate: minimumReceiveRate.map { max($0, 1) } ?? 0,
            acceptsInvalidCertificates: acceptsInvalidCertificates
        )
    }

    /// The addresses of the mirrors that can be used.
    var mirrorAddresses: [String] {
        mirrors.map(\.absoluteString).filter { Origin(url: $0) != nil }
    }

    /// The protocols that an upload may use; nil for those of its session.
    var uploadProtocols: ResumableUpload.Protocols? {
        switch uploadProtocol {
        case .automatic: nil
        case .draft: .drafts
        case .tus: .tus
        case .off: .off
        }
    }

    /// Returns a segment policy limited to the task's number of connections.
    func segmentPolicy(_ policy: Download.SegmentPolicy) -> Download.SegmentPolicy {
        policy.limited(to: maximumConnectionsPerDownload)
    }
}

extension TransferOptions.Retry {
    /// The rules, in the form that transfers use.
    var policy: RetryPolicy {
        var policy = RetryPolicy(
            maximumAttempts: maximumAttempts.map { max($0, 1) },
            maximumUnansweredAttempts: maximumUnansweredAttempts.map { max($0, 1) },
            statuses: statuses
        )
        policy.setDelays(first: firstDelay, factor: factor, maximum: maximumDelay)
        return policy
    }
}
