extension Download {
    /// How a download is carried out.
    package struct Configuration: Sendable {
        /// Whether and how often bytes are forced onto the disk; `never` by default.
        package var synchronization: Synchronization
        /// What a response means that says that the server is unavailable; `deliver` by default.
        package var unavailableResponses: UnavailableResponses
        /// Whether ``Events/resumed`` comes even when no byte could be kept, with the offset 0.
        ///
        /// For a download that an app made from resume data, until it has come once.
        package var announcesResumption: Bool
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
            announcesResumption: Bool = false,
            segments: SegmentPolicy = SegmentPolicy(),
            mirrors: [String] = [],
            load: Load.Configuration = Load.Configuration()
        ) {
            self.synchronization = synchronization
            self.unavailableResponses = unavailableResponses
            self.announcesResumption = announcesResumption
            self.segments = segments
            self.mirrors = mirrors
            self.load = load
        }
    }

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
        /// holds bytes that can still be continued, or the server says when to come back;
        /// otherwise it is the answer.
        case fail
    }
}
