import FerryTransfer
import Foundation

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
