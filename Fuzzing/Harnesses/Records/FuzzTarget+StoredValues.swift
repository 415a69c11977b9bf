import FoundationEssentials

@testable import FerryDaemon
@testable import FerryStore
@testable import FerryTransfer
@testable import FerryWire

extension FuzzTarget {
    /// What ferryd keeps in its database is read or refused, and is the same when it is written again.
    static let storedValues = FuzzTarget("stored-values") { input throws(Finding) in
        var input = input
        let choice = input.takeNumber()
        let bytes = input.rest
        switch choice % 10 {
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
            try check(Stored.event(bytes), { Stored.event($0).payload }, { Stored.event($0 ?? []) })
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
        try check(failure, Stored.encode, AttemptFailure.decode)
        let next = AttemptFailure(
            TransferError(code: .serverUnavailable, message: ""),
            after: failure
        )
        try expect(next.unavailableCount > 0, "\(next.unavailableCount) failures")
    }

    /// A queue's name is the same whichever of the two ways finds it.
    static let hostName = FuzzTarget("host-name") { input throws(Finding) in
        let address = input.text
        guard let host = HostName.of(address) else { return }
        let colon = host.lastIndex(of: ":") ?? host.endIndex
        let port = Int(host[colon...].dropFirst()) ?? -1
        // One that is too great is refused when the request is made.
        try expect(port >= 0 && colon > host.startIndex, "\(host)")
        // The quick way knows schemes in lower case alone.
        guard let end = address.firstIndex(of: ":") else { return }
        let other = address[..<end].uppercased() + address[end...]
        try expectSame(HostName.of(other), host, "the queue of \(other)")
    }
}
