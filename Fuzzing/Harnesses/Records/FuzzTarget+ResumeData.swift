@testable import FerrySystem
@testable import FerryTransfer

extension FuzzTarget {
    /// Resume data is read or refused, and what is read contradicts neither itself nor the file.
    static let resumeData = FuzzTarget("resume-data", upTo: 768) { input throws(Finding) in
        var input = input
        let isWhole = input.takeNumber() % 8 == 0
        // Nobody guesses a checksum, and behind it is what is worth trying.
        let envelope = ResumeDataEnvelope(magic: "FerryRD", version: 1)
        let blob = isWhole ? input.rest : envelope.wrap(input.rest)
        guard let data = try? ResumeData(decoding: blob) else { return }
        guard let written = try? data.encoded(), let again = try? ResumeData(decoding: written)
        else { throw Finding(description: "what is written cannot be read") }
        try expectSame(again, data, "what is written and read")
        try expect(data.request.isResumable, "the request cannot be continued")
        try expect(Origin(url: data.request.url) != nil, "\(data.request.url) is no address")
        try expect(data.byteCount > 0, "\(data.byteCount) bytes are kept")
        try check(data.checkpoint)
    }

    private static func check(_ checkpoint: Checkpoint) throws(Finding) {
        let written = checkpoint.writtenByteCount
        for boot in [checkpoint.bootIdentifier, BootIdentifier(rawValue: "another")] {
            for size in [0, 1, checkpoint.synchronizedByteCount, written, .max] where size >= 0 {
                let trusted = checkpoint.trustedByteCount(currentBoot: boot, fileSize: size)
                try checkTrust(trusted, of: size, checkpoint.version)
            }
        }
    }

    private static func checkTrust(
        _ trusted: Int64,
        of size: Int64,
        _ version: ResourceVersion
    ) throws(Finding) {
        try expect((0...size).contains(trusted), "\(trusted) of \(size) bytes are trusted")
        guard trusted > 0 else { return }
        try expect(version.validator != nil, "bytes are trusted without a proof")
        try expect(trusted <= version.totalByteCount ?? .max, "\(trusted) bytes are trusted")
        guard let resumption = Resumption(byteCount: trusted, version: version) else { return }
        try expect((1...trusted).contains(resumption.offset), "byte \(resumption.offset) is next")
    }

    /// A partial file's record is read or refused, and no more is trusted than is there.
    static let fileRecord = FuzzTarget("file-record", upTo: 512) { input throws(Finding) in
        var input = input
        let sizes = [Int64.max, 1000, input.takeInteger()].filter { $0 >= 0 }
        let synchronized = input.takeInteger()
        guard let record = PartialFile.Record(decoding: input.rest) else { return }
        guard let written = try? record.encoded() else {
            throw Finding(description: "what is read cannot be written")
        }
        try expectSame(PartialFile.Record(decoding: written), record, "what is written and read")
        let checkpoint = Checkpoint(
            generation: record.generation,
            version: record.version,
            synchronizedByteCount: synchronized,
            writtenByteCount: 0,
            bootIdentifier: record.bootIdentifier
        )
        for boot in [record.bootIdentifier, BootIdentifier(rawValue: "another")] {
            for size in sizes {
                for checkpoint in [checkpoint, nil] {
                    let trusted = record.trustedBytes(
                        currentBoot: boot,
                        fileSize: size,
                        table: nil,
                        checkpoint: checkpoint
                    ).upperBound
                    try checkTrust(trusted, of: size, record.version)
                    try checkStart(record, holding: trusted)
                }
            }
        }
    }

    /// A download goes on with what the record says, and fails in the end.
    private static func checkStart(
        _ record: PartialFile.Record,
        holding byteCount: Int64
    ) throws(Finding) {
        var download = Download.StateMachine(
            request: TransferRequest(url: "https://example.com/"),
            configuration: Download.Configuration()
        )
        let held = Download.StateMachine.Held(
            byteCount: byteCount,
            version: record.version,
            fruitlessResumptionCount: record.fruitlessResumptionCount
        )
        download.start(holding: held)
        _ = download.effects.begin()
        try expect(download.effects.next() != nil, "nothing is requested")
        try expect(download.effects.next() == nil, "more than a request follows")
        download.loadFinished(TransferError(code: .connectionLost, message: ""))
        try expect(download.hasEnded, "it has not ended")
    }
}
