import FerrySystem
import Glibc
import Testing

@testable import FerryWire

extension ArrivedFile {
    /// The descriptor's number; nil for a file that is lost.
    fileprivate var number: Int32? {
        if case .file(let file) = self { file.number } else { nil }
    }
}

@Suite(.timeLimit(.minutes(5))) struct ArrivingFilesTests {
    private func descriptor() throws -> Int32 {
        try systemCall("open", "/dev/null") { open("/dev/null", O_RDONLY | O_CLOEXEC) }
    }

    /// A pipe whose end for reading shows whether the other one is open: a number alone does not, as other tests open
    /// files at the same time.
    private struct WatchedPipe: ~Copyable {
        let writer: Int32
        private let reader: FileDescriptor

        init() throws {
            var ends: [Int32] = [0, 0]
            try systemCall("pipe") { pipe(&ends) }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            reader = FileDescriptor(owning: ends[0])
            writer = ends[1]
        }

        /// Whether the end for writing is closed, or soon is: a program that another test is starting has it, too, until it
        /// runs.
        var isClosed: Bool {
            var poll = pollfd(fd: reader.rawValue, events: Int16(POLLIN), revents: 0)
            return Glibc.poll(&poll, 1, 30_000) == 1 && poll.revents & Int16(POLLHUP) != 0
        }
    }

    @Test func `a file belongs to the message that its bytes are a part of`() throws {
        var files = ArrivingFiles()
        let (one, two) = (try descriptor(), try descriptor())
        files.arrived(byteCount: 10, descriptors: [])
        // The rest of the second message, then the whole third one with its file.
        files.arrived(byteCount: 15, descriptors: [one])
        // The begin of the fourth one, with its file.
        files.arrived(byteCount: 3, descriptors: [two])
        #expect(files.taken(byteCount: 5) == nil)
        #expect(files.taken(byteCount: 12) == nil)
        #expect(files.taken(byteCount: 8)?.number == one)
        files.arrived(byteCount: 7, descriptors: [])
        #expect(files.taken(byteCount: 10)?.number == two)
        #expect(files.taken(byteCount: 5) == nil)
    }

    @Test func `of several files with one message the first counts, and the others are closed`()
        async throws
    {
        let queue = BlockingQueue(label: "test")
        var files = ArrivingFiles(on: queue)
        let one = try descriptor()
        let other = try WatchedPipe()
        files.arrived(byteCount: 4, descriptors: [one, other.writer])
        let first = files.taken(byteCount: 4)
        #expect(first?.number == one)
        await queue.run {}
        let isClosed = other.isClosed
        #expect(isClosed)
    }

    @Test func `files without end are closed`() async throws {
        let queue = BlockingQueue(label: "test")
        var files = ArrivingFiles(on: queue)
        for _ in 0..<16 { files.arrived(byteCount: 1, descriptors: [try descriptor()]) }
        let last = try WatchedPipe()
        files.arrived(byteCount: 1, descriptors: [last.writer])
        await queue.run {}
        let isClosed = last.isClosed
        #expect(isClosed)
    }

    @Test func `REL-14: a file without a descriptor belongs to its message, too`() throws {
        var files = ArrivingFiles()
        files.arrived(byteCount: 4, descriptors: [], isIncomplete: true)
        let one = try descriptor()
        // Of several files, the first one is there.
        files.arrived(byteCount: 4, descriptors: [one], isIncomplete: true)
        files.arrived(byteCount: 4, descriptors: [])
        if case .lost? = files.taken(byteCount: 4) {} else { Issue.record("not lost") }
        #expect(files.taken(byteCount: 4)?.number == one)
        if files.taken(byteCount: 4) != nil { Issue.record("a file of another message") }
    }
}
