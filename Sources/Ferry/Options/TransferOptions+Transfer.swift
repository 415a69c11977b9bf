import FerryTransfer

extension TransferOptions {
    /// The digests, in the form that transfers know.
    var digests: [FerryTransfer.Digest] {
        expectedDigests.compactMap { digest in
            FerryTransfer.Digest.Algorithm(rawValue: digest.algorithm.rawValue)
                .map { FerryTransfer.Digest($0, Array(digest.value)) }
        }
    }
}

extension TransferOptions.Retry {
    /// The rules, in the form that transfers know.
    var policy: RetryPolicy {
        RetryPolicy(
            firstDelay: max(firstDelay, .zero),
            factor: max(factor, 1),
            maximumDelay: max(maximumDelay, .zero),
            maximumAttempts: maximumAttempts.map { max($0, 1) },
            statuses: statuses
        )
    }
}
