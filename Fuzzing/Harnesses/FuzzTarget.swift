/// What parses input from outside, with what must hold of it for every input.
///
/// The same targets are run by libFuzzer, with inputs of its own making, and by the tests, with those that
/// it has found worth keeping.
struct FuzzTarget: Sendable, CustomStringConvertible {
    /// The name, which is also that of its corpus and of its dictionary.
    let name: String
    /// How many bytes libFuzzer tries: what is longer than it has to be is slow.
    let byteCount: Int
    /// Runs it once.
    let run: @Sendable (FuzzInput) throws(Finding) -> Void

    /// Makes a target of its parts.
    init(
        _ name: String,
        upTo byteCount: Int = 256,
        run: @escaping @Sendable (FuzzInput) throws(Finding) -> Void
    ) {
        self.name = name
        self.byteCount = byteCount
        self.run = run
    }

    /// For people.
    var description: String { name }
}

extension FuzzTarget {
    /// All targets.
    static let all = [
        messageSplitting, calls, replies, wireValues,
        responseHead, contentRange, httpDate, cacheControl, authentication, redirect, setCookie,
        dataURL, fileName, digests, webSocketHandshake, webSocketFrames,
        resumableUpload, download, resumeData, uploadResumeData, fileRecord, segmentTable,
        storedValues,
        hostName, networkMessages,
    ]
}
