package import FerryHTTP
import FerrySystem

extension Download {
    /// How a download is carried out.
    package struct Configuration: Sendable {
        /// Whether and how often bytes are forced onto the disk; `never` by default.
        package var synchronization: Synchronization
        /// How to treat a response that says that the server is unavailable; `deliver` by default.
        package var unavailableResponses: UnavailableResponses
        /// The statuses that say that the server is unavailable; `nil`, the default, for 408, 429 and 500 to 599.
        package var retriedStatuses: Set<Int>?
        /// Whether any other status from 400 on fails the download with ``TransferError/Code/errorResponse``;
        /// `false` by default: the response body becomes the file.
        package var refusesErrorResponses: Bool
        /// The current address among those that the resource was given; `nil`, the default, for the first.
        package var link: Int?
        /// The response statuses that mean that an address has expired, and fail the download with
        /// ``TransferError/Code/linkExpired``; none by default.
        package var linkStatuses: Set<Int>
        /// Whether a download whose address has expired waits for another one; `false` by default.
        package var holdsExpiredLinks: Bool
        /// The maximum length of the file; `nil`, the default, for any.
        package var maximumByteCount: Int64?
        /// The digests that the finished file must have; none by default.
        package var digests: [Digest]
        /// Whether ``Events/resumed`` is sent with the offset 0 even when no byte could be kept.
        ///
        /// For a download that an app made from resume data, until the event was sent once.
        package var announcesResumption: Bool
        /// The response that the app received for the bytes in the file; `nil`, the default, if unknown.
        package var earlierResponse: HTTPResponseHead?
        /// When to use several connections for the body; by default at most four, while that is faster.
        package var segments: SegmentPolicy
        /// Other addresses of the same resource; none by default.
        ///
        /// They serve parts of a long body, and replace a server that fails. See ``Sources`` for what a mirror
        /// must prove before its bytes are used. The request's secrets are never sent to a mirror of another
        /// origin.
        package var mirrors: [String]
        /// How long after its first appearance an odd answer replaces the file's bytes if it comes again.
        package var doubtTime: Duration
        /// The configuration of each request's load.
        package var load: Load.Configuration

        /// Makes a configuration.
        package init(
            synchronization: Synchronization = .never,
            unavailableResponses: UnavailableResponses = .deliver,
            retriedStatuses: Set<Int>? = nil,
            refusesErrorResponses: Bool = false,
            link: Int? = nil,
            linkStatuses: Set<Int> = [],
            holdsExpiredLinks: Bool = false,
            maximumByteCount: Int64? = nil,
            digests: [Digest] = [],
            announcesResumption: Bool = false,
            earlierResponse: HTTPResponseHead? = nil,
            segments: SegmentPolicy = SegmentPolicy(),
            mirrors: [String] = [],
            doubtTime: Duration = .seconds(60),
            load: Load.Configuration = Load.Configuration()
        ) {
            self.synchronization = synchronization
            self.unavailableResponses = unavailableResponses
            self.retriedStatuses = retriedStatuses
            self.refusesErrorResponses = refusesErrorResponses
            self.link = link
            self.linkStatuses = linkStatuses
            self.holdsExpiredLinks = holdsExpiredLinks
            self.maximumByteCount = maximumByteCount
            self.digests = digests
            self.announcesResumption = announcesResumption
            self.earlierResponse = earlierResponse
            self.segments = segments
            self.mirrors = mirrors
            self.doubtTime = doubtTime
            self.load = load
        }

        /// Returns why a file of a length is not loaded; `nil` if it is.
        func excess(of byteCount: Int64?, at url: String) -> TransferError? {
            guard let maximumByteCount, let byteCount, byteCount > maximumByteCount else {
                return nil
            }
            return TransferError(
                code: .responseTooLong,
                message: "the file is longer than \(maximumByteCount) bytes",
                failingURL: url
            )
        }

        /// Whether a status says that the server is unavailable.
        func isUnavailable(_ status: Int) -> Bool {
            retriedStatuses?.contains(status) ?? Self.saysUnavailable(status)
        }

        /// Whether a status says by itself that the server is unavailable.
        private static func saysUnavailable(_ status: Int) -> Bool {
            status == 408 || status == 429 || (500...599).contains(status)
        }

        /// Whether a status passes where there are bytes to lose, whichever an app has named.
        ///
        /// A proxy wants a password, or the network has put a page of its own in between. 501 and 505 do not pass by
        /// themselves.
        func isPassing(_ status: Int) -> Bool {
            isUnavailable(status) || status == 407
                || Self.saysUnavailable(status) && status != 501 && status != 505
        }
    }

    /// The statuses for an address that was valid only for a limited time or for certain users.
    package static let expiredLinkStatuses: Set = [401, 403, 410]

    /// Whether and how often bytes are forced onto the disk.
    package enum Synchronization: Sendable {
        /// Never: a power failure may lose the file.
        case never
        /// While bytes arrive, this long after the first that is not on the disk, and before the
        /// download finishes.
        case periodic(every: Duration, by: FileSynchronizer)

        /// A power failure loses the last second.
        package static func everySecond(_ synchronizer: FileSynchronizer) -> Synchronization {
            .periodic(every: .seconds(1), by: synchronizer)
        }
    }

    /// How to treat a response that says that the server is unavailable (408, 429, 5xx), if there are no bytes to
    /// lose: otherwise it fails the download.
    package enum UnavailableResponses: Hashable, Sendable {
        /// Deliver it: its body is the file.
        case deliver
        /// Fail the download with ``TransferError/Code/serverUnavailable`` if the server says when to retry, or the
        /// app has named these statuses; otherwise deliver it.
        case fail
    }
}

extension Download {
    /// Makes a load that delivers its response to a receiver.
    package typealias LoadMaker = @LoopActor (any LoadReceiver) -> Load

    /// Makes the source of the response to a download's first request, if other downloads make the same
    /// request.
    ///
    /// - Parameters:
    ///   - receiver: The download, which receives the response.
    ///   - makeLoad: Makes the load that the download would use alone.
    package typealias Sharing =
        @LoopActor (
            _ receiver: any LoadReceiver, _ makeLoad: @escaping LoadMaker
        ) -> any AnswerSource
}
