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
        bodyDecoding,
        resumableUpload, download, resumeData, uploadResumeData, fileRecord, segmentTable,
        storedValues,
        hostName, networkMessages,
        downloadList, addressPattern, requestFiles,
    ]
}

/// Something that must hold for every input, and does not hold for this one.
struct Finding: Error, CustomStringConvertible {
    /// What was expected, and what was there in its place.
    let description: String
}

/// Ends a run with a finding unless something holds.
func expect(
    _ holds: Bool,
    _ description: @autoclosure () -> String
) throws(Finding) {
    guard !holds else { return }
    throw Finding(description: description())
}

/// Ends a run with a finding unless two values are the same.
func expectSame<Value: Equatable>(
    _ value: Value,
    _ other: Value,
    _ what: @autoclosure () -> String
) throws(Finding) {
    guard value != other else { return }
    throw Finding(description: "\(what()): \(value) is not \(other)")
}

/// The bytes of one run.
///
/// Numbers that steer a harness are taken from the end, so that what is in front stays readable, and is
/// what libFuzzer changes most.
struct FuzzInput {
    private var bytes: ArraySlice<UInt8>

    /// Makes an input of its bytes.
    init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    /// Takes the last byte; 0 where there is none.
    mutating func takeNumber() -> UInt8 { bytes.popLast() ?? 0 }

    /// Takes the last eight bytes as a number in the order of this machine.
    mutating func takeInteger() -> Int64 {
        var number: UInt64 = 0
        for _ in 0..<8 { number = number << 8 | UInt64(takeNumber()) }
        return Int64(bitPattern: number)
    }

    /// What is left.
    var rest: [UInt8] { Array(bytes) }

    /// What is left, as text.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// What is left, as the lines of each of its parts that an empty line separates.
    var paragraphs: [[String]] {
        text.split(separator: "\n\n").map { part in
            part.split(separator: "\n").map { String($0) }
        }
    }

    /// What is left, as the lines that it consists of.
    var lines: [String] {
        bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
