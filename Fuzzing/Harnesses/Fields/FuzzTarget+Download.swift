@testable import FerryTransfer

extension FuzzTarget {
    /// Whatever servers answer, by however many connections, a download that finishes has all bytes.
    static let download = FuzzTarget("download", upTo: 768) { input throws(Finding) in
        var input = input
        let choices = input.takeNumber()
        let held = heldBytes(input.takeNumber())
        let configuration = Download.Configuration(
            unavailableResponses: choices & 1 == 0 ? .deliver : .fail,
            refusesErrorResponses: choices & 2 == 0,
            segments: segments(upTo: choices & 4 == 0 ? 4 : 1),
            mirrors: choices & 8 == 0 ? [] : ["https://mirror.example/file", "http://[::1]/"]
        )
        var dialog = DownloadDialog(configuration, holding: held, grants: choices & 16 == 0)
        try dialog.start()
        for event in input.paragraphs { try dialog.hear(event) }
        try dialog.end()
    }

    /// Parts are worth their while at once.
    private static func segments(upTo count: Int) -> Download.SegmentPolicy {
        Download.SegmentPolicy(
            maximumConnections: count,
            minimumBodyBytes: 1,
            minimumSegmentBytes: 1,
            window: .zero,
            requiredGain: 0,
            minimumTimeLeft: .zero,
            minimumSplitTime: .zero,
            minimumSegmentTime: .zero
        )
    }

    /// What an earlier attempt has left.
    private static func heldBytes(_ choice: UInt8) -> Download.StateMachine.Held? {
        let byteCounts: [Int64] = [0, 1, 1000, 1 << 40, 1 << 61]
        let byteCount = byteCounts[Int(choice & 7) % byteCounts.count]
        guard byteCount > 0 else { return nil }
        let total = choice & 8 == 0 ? byteCount * 2 : nil
        return Download.StateMachine.Held(
            byteCount: byteCount,
            version: ResourceVersion(
                validator: .strongETag("\"x\""),
                totalByteCount: total,
                url: "https://example.com/file"
            ),
            segments: choice & 16 == 0 || total == nil
                ? nil : ByteRanges([0..<1, byteCount..<(byteCount * 2 - 1)])
        )
    }
}
