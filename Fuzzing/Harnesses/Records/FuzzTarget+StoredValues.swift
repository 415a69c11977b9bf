import FoundationEssentials

@testable import FerryDaemon
@testable import FerryStore
@testable import FerryTransfer
@testable import FerryWire

extension FuzzTarget {
    /// What ferryd keeps in its database is read or refused, and is the same when it is written again.
    static let storedValues = FuzzTarget("stored-values", upTo: 1280) { input throws(Finding) in
        var input = input
        let choice = input.takeNumber()
        let bytes = input.rest
        switch choice % 12 {
        case 0: try check(ByteState.decode(bytes), \.encoded, ByteState.decode)
        case 1: try check(UploadState.decode(bytes), \.encoded, UploadState.decode)
        case 2: try check(DelayState.decode(bytes), \.encoded, DelayState.decode)
        case 3: try checkFailure(bytes)
        case 4:
            try check(Stored.request(bytes), { Stored.encode($0) }, { Stored.request($0 ?? []) })
        case 5:
            try check(Stored.response(bytes), { Stored.encode($0) }, { Stored.response($0 ?? []) })
        case 6: try check(Stored.failure(bytes), Stored.encode, { Stored.failure($0 ?? []) })
        case 7, 8:
            try check(Stored.event(bytes), { Stored.encode($0) }, { Stored.event($0 ?? []) })
        case 9: try checkOptions(bytes)
        case 10:
            let rates = SharedRates.limits(bytes)
            try check(rates, \.encoded, SharedRates.limits)
            try expect(rates.contradiction == nil, "\(rates)")
        default:
            let configuration = Stored.configuration(bytes)
            try check(configuration, Stored.encode, { Stored.configuration($0 ?? []) })
        }
    }

    private static func check<Value: Equatable>(
        _ value: Value?,
        _ encode: (Value) -> [UInt8],
        _ decode: ([UInt8]?) -> Value?
    ) throws(Finding) {
        guard let value else { return }
        let written = encode(value)
        try expect(!written.isEmpty, "\(value) cannot be written")
        try expectSame(decode(written), value, String(decoding: written, as: UTF8.self))
    }

    private static func checkFailure(_ bytes: [UInt8]) throws(Finding) {
        let failure = AttemptFailure.decode(bytes)
        try check(failure, \.encoded, AttemptFailure.decode)
        let next = AttemptFailure(
            TransferError(code: .serverUnavailable, message: ""),
            after: failure
        )
        try expect(next.unavailableCount > 0, "\(next.unavailableCount) failures")
    }

    /// Whatever the options are, there are delays and digests by them.
    private static func checkOptions(_ bytes: [UInt8]) throws(Finding) {
        let options = Stored.options(bytes)
        try check(options, Stored.encode, Stored.options)
        try expect(options?.contradiction == nil, "\(options, default: "")")
        let policy = RetryPolicy().applying(options?.retry)
        let error = TransferError(code: .timedOut, message: "")
        var generator = SystemRandomNumberGenerator()
        for count in [1, 2, 100] {
            let decision = policy.decision(for: error, failureCount: count, using: &generator)
            guard case .retry(let delay) = decision else { continue }
            try expect((.zero ... .seconds(2e9)).contains(delay), "the delay is \(delay)")
        }
        for digest in options?.expectedDigests ?? [] {
            try expectSame(digest.value.count, digest.algorithm.byteCount, "\(digest)")
        }
    }

    /// A queue's name is the same whichever of the two ways finds it.
    static let hostName = FuzzTarget("host-name", upTo: 96) { input throws(Finding) in
        let address = input.text
        guard let host = Origin(url: address)?.authority else { return }
        let colon = host.lastIndex(of: ":") ?? host.endIndex
        let port = Int(host[colon...].dropFirst()) ?? -1
        // One that is too great is refused when the request is made.
        try expect(port >= 0 && colon > host.startIndex, "\(host)")
        // The quick way knows schemes in lower case alone.
        guard let end = address.firstIndex(of: ":") else { return }
        let other = address[..<end].uppercased() + address[end...]
        try expectSame(Origin(url: other)?.authority, host, "the queue of \(other)")
    }
}
