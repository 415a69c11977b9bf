import FerrySystem
import Glibc
import Synchronization

/// A file system that stops answering when it is told to, as that of a server that is gone.
///
/// It has the file `file` and the directory `directory`.
package final class HangingDisk: Sendable {
    /// What may not be answered.
    package enum Operation: String, Sendable {
        case lookup, getattr, open, read, flush
    }

    /// Whether this process may mount one.
    package static let canBeMade = access("/dev/fuse", R_OK | W_OK) == 0 && SmallDisk.canBeMade

    /// Where it is mounted.
    package let path: String
    /// The path of the file.
    package var file: String { "\(path)/file" }
    /// What the file has.
    package let byteCount: Int64

    private let process: TestProcess
    private let commands: FileDescriptor
    private let output: LineReader

    /// Mounts it; it is unmounted when it is no longer needed, and whoever waits gets an error.
    package init(byteCount: Int64) async throws {
        self.byteCount = byteCount
        path = try TemporaryDirectory.make()
        var (input, output): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        try systemCall("pipe") { pipe(&input) }
        try systemCall("pipe") { pipe(&output) }
        for end in input + output { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let reading = FileDescriptor(owning: input[0])
        let writing = FileDescriptor(owning: output[1])
        commands = FileDescriptor(owning: input[1])
        self.output = LineReader(FileDescriptor(owning: output[0]))
        process = try await TestProcess(
            "/usr/bin/python3",
            [TestPython.file("Files/hanging-disk.py"), path, "\(byteCount)"],
            environment: ["PATH": "/usr/bin:/bin"],
            output: writing.rawValue,
            error: 2,
            others: [0: reading.rawValue],
            endsWithTests: true
        )
        _ = consume reading
        _ = consume writing
        try await next("ready")
    }

    deinit {
        process.signal(SIGKILL)
        umount2(path, Int32(MNT_DETACH))
        rmdir(path)
    }

    /// Answers none of these any more, and all others.
    package func hang(_ operations: Operation...) async throws {
        try await command("hang " + operations.map(\.rawValue).joined(separator: " "))
    }

    /// Answers everything, what has waited as well.
    package func proceed() async throws { try await command("go") }

    /// Returns when somebody waits.
    package func waitUntilHanging(_ operation: Operation) async throws {
        try await next("hanging \(operation.rawValue)")
    }

    /// The bytes of the file.
    package func bytes() -> [UInt8] {
        let period = (0..<251).map { UInt8($0) }
        var bytes: [UInt8] = []
        // Byte by byte it would take ten seconds.
        while bytes.count < byteCount { bytes += period }
        return Array(bytes.prefix(Int(byteCount)))
    }

    private func command(_ line: String) async throws {
        try Array((line + "\n").utf8).withUnsafeBytes { try commands.writeAll($0) }
        try await next("ok")
    }

    /// Waits for a line; those before it have been waited for or are of no interest.
    private func next(_ wanted: String) async throws {
        while true {
            guard let line = await output.next() else {
                throw TestServerError(program: "hanging-disk.py", output: "it has ended")
            }
            if line == wanted { return }
        }
    }
}

/// Reads lines from a pipe, on a thread of its own.
private final class LineReader: Sendable {
    private let descriptor: FileDescriptor
    private let queue = BlockingQueue(label: "test.lines")
    private let rest = Mutex<[UInt8]>([])

    init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

    func next() async -> String? {
        await withCheckedContinuation { continuation in
            queue.perform { continuation.resume(returning: self.read()) }
        }
    }

    private func read() -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let line = rest.withLock { rest -> [UInt8]? in
                guard let end = rest.firstIndex(of: 10) else { return nil }
                defer { rest.removeFirst(end + 1) }
                return Array(rest[..<end])
            }
            if let line { return String(decoding: line, as: UTF8.self) }
            let count = buffer.withUnsafeMutableBytes { (try? descriptor.read(into: $0)) ?? 0 }
            guard count > 0 else { return nil }
            rest.withLock { $0 += buffer[..<count] }
        }
    }
}
