package import FerryHTTP

extension Download {
    /// How a download is carried out.
    package struct Configuration: Sendable {
        /// Whether and how often bytes are forced onto the disk; `never` by default.
        package var synchronization: Synchronization
        /// What a response means that says that the server is unavailable; `deliver` by default.
        package var unavailableResponses: UnavailableResponses
        /// The statuses that say that the server is unavailable; `nil`, the default, for 408, 429 and 500 to 599.
        package var retriedStatuses: Set<Int>?
        /// Whether an answer of another status from 400 on fails the download with
        /// ``TransferError/Code/errorResponse``; `false` by default: its body is the file.
        package var refusesErrorResponses: Bool
        /// Which of several addresses that it was given the resource has; `nil`, the default, for its first.
        package var link: Int?
        /// The statuses of answers that say that an address has expired, and fail the download with
        /// ``TransferError/Code/linkExpired``; none by default.
        package var linkStatuses: Set<Int>
        /// What the finished file's digests have to be; none by default.
        package var digests: [Digest]
        /// Whether ``Events/resumed`` comes even when no byte could be kept, with the offset 0.
        ///
        /// For a download that an app made from resume data, until it has come once.
        package var announcesResumption: Bool
        /// What the app was shown as the response for the bytes that the file holds; `nil`, the default, where
        /// nobody knows.
        package var earlierResponse: HTTPResponseHead?
        /// When several connections fetch the body; four at most by default, while that is faster.
        package var segments: SegmentPolicy
        /// Other addresses of the same resource; none by default.
        ///
        /// They share in the parts of a long body, and take the place of a server that fails. See
        /// ``Sources`` for what a mirror has to prove before a byte of it is taken. The request's secrets go
        /// to none that has another origin.
        package var mirrors: [String]
        /// How each request is carried through to its answer.
        package var load: Load.Configuration

        /// Makes a configuration.
        package init(
            synchronization: Synchronization = .never,
            unavailableResponses: UnavailableResponses = .deliver,
            retriedStatuses: Set<Int>? = nil,
            refusesErrorResponses: Bool = false,
            link: Int? = nil,
            linkStatuses: Set<Int> = [],
            digests: [Digest] = [],
            announcesResumption: Bool = false,
            earlierResponse: HTTPResponseHead? = nil,
            segments: SegmentPolicy = SegmentPolicy(),
            mirrors: [String] = [],
            load: Load.Configuration = Load.Configuration()
        ) {
            self.synchronization = synchronization
            self.unavailableResponses = unavailableResponses
            self.retriedStatuses = retriedStatuses
            self.refusesErrorResponses = refusesErrorResponses
            self.link = link
            self.linkStatuses = linkStatuses
            self.digests = digests
            self.announcesResumption = announcesResumption
            self.earlierResponse = earlierResponse
            self.segments = segments
            self.mirrors = mirrors
            self.load = load
        }

        /// Whether a status says that the server is unavailable.
        func isUnavailable(_ status: Int) -> Bool {
            guard let retriedStatuses else {
                return status == 408 || status == 429 || (500...599).contains(status)
            }
            return retriedStatuses.contains(status)
        }
    }

    /// What a server answers whose address was good for a time, or for somebody, only.
    package static let expiredLinkStatuses: Set = [401, 403, 410]

    /// Whether and how often bytes are forced onto the disk.
    package enum Synchronization: Sendable {
        /// Never: a power cut may cost the file.
        case never
        /// While bytes arrive, this long after the first that is not on the disk, and before the
        /// download finishes.
        case periodic(every: Duration, by: FileSynchronizer)

        /// A power cut costs the last second.
        package static func everySecond(_ synchronizer: FileSynchronizer) -> Synchronization {
            .periodic(every: .seconds(1), by: synchronizer)
        }
    }

    /// What a response means that says that the server is unavailable (408, 429, 5xx).
    package enum UnavailableResponses: Hashable, Sendable {
        /// It is the answer, and its body is the file.
        case deliver
        /// It fails the download with ``TransferError/Code/serverUnavailable`` when the file
        /// holds bytes that can still be continued, the server says when to come back, or the app
        /// has said which statuses these are; otherwise it is the answer.
        case fail
    }
}
