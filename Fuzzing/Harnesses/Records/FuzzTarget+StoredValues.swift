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
        case 0: try check(ByteState.self, bytes)
        case 1: try check(UploadState.self, bytes)
        case 2: try check(DelayState.self, bytes)
        case 3: try checkFailure(bytes)
        case 4: try check(Wire.Request.self, bytes)
        case 5: try check(Wire.Response.self, bytes)
        case 6: try check(Wire.Launch.self, bytes)
        case 7, 8: try check(Wire.Event.self, bytes)
        case 9: try checkOptions(bytes)
        case 10:
            try check(SharedRates.self, bytes)
            let rates = SharedRates(Encoded(text: bytes))
            try expect(rates.contradiction == nil, "\(rates)")
        default: try check(Wire.SessionConfiguration.self, bytes)
        }
    }

    @discardableResult
    private static func check<Value: JSONCodable>(
        _ type: Value.Type,
        _ bytes: [UInt8]
    ) throws(Finding) -> Value? {
        guard let value = Encoded<Value>(text: bytes).value else { return nil }
        let written = Encoded(value)
        try expect(!written.text.isEmpty, "\(value) cannot be written")
        try expectSame(written.value, value, String(decoding: written.text, as: UTF8.self))
        return value
    }

    private static func checkFailure(_ bytes: [UInt8]) throws(Finding) {
        let failure = try check(AttemptFailure.self, bytes)
        let next = AttemptFailure(
            TransferError(code: .serverUnavailable, message: ""),
            after: failure
        )
        try expect(next.unavailableCount > 0, "\(next.unavailableCount) failures")
    }

    /// Whatever the options are, there are delays and digests by them.
    private static func checkOptions(_ bytes: [UInt8]) throws(Finding) {
        let read = try check(Wire.TransferOptions.self, bytes)
        let options = read?.contradiction == nil ? read : nil
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
