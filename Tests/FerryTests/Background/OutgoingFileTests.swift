import FerrySystem
import FerryTestSupport
import FerryWire
import Foundation
import Testing

@testable import Ferry

/// Files of background uploads that are opened when there is a descriptor for them.
@Suite(.serialized, .timeLimit(.minutes(1))) struct OutgoingFileTests {
    private let url = FileManager.default.temporaryDirectory
        .appending(path: "outgoing-\(UUID())")
    /// The test's own: files of other tests, which are closed at any time, have none of these.
    private let descriptors = DescriptorBudget(limit: 8)

    /// Makes files until there is no descriptor left, and a last one that waits for some.
    private func exhaust(_ opened: inout [OutgoingFile]) throws -> OutgoingFile {
        try Data([1]).write(to: url)
        while true {
            let file = try OutgoingFile(url, descriptors: descriptors)
            guard file.isReady else { return file }
            opened.append(file)
        }
    }

    /// Occupies all threads that close files, once what was begun before is done, until the gate is opened.
    private func holdCloses() async -> FixtureGate {
        let gate = FixtureGate()
        await withTaskGroup { group in
            for _ in 0..<AppFiles.threadLimit {
                group.addTask {
                    await withCheckedContinuation { begun in
                        AppFiles.queue.perform {
                            begun.resume()
                            gate.wait()
                        }
                    }
                }
            }
        }
        return gate
    }

    /// Waits until the files that were released are closed.
    private func settle() async { await holdCloses().open() }

    private func open(_ file: OutgoingFile) async {
        await withCheckedContinuation { opened in
            file.open(mayExceed: false) { opened.resume() }
        }
    }

    /// Opens a file that has waited with others, until all before it were done with.
    private func openBeyondLimit(_ file: OutgoingFile) async {
        await withCheckedContinuation { opened in
            file.open(mayExceed: false) { opened.resume() }
            #expect(!file.isReady)
            file.open(mayExceed: true) { opened.resume() }
        }
    }

    @Test func `SEC-6: a file that was changed before it could be opened is not sent`() async throws
    {
        defer { try? FileManager.default.removeItem(at: url) }
        var opened: [OutgoingFile] = []
        let late = try exhaust(&opened)
        try Data([1, 2]).write(to: url)
        opened = []
        await open(late)
        #expect(late.opened == nil)
        #expect(late.failure?.code == .cannotOpenFile)
    }

    @Test func `a file that cannot be opened takes no descriptor from others`() async throws {
        var opened: [OutgoingFile] = []
        var late = try exhaust(&opened)
        for _ in 0...opened.count {
            try FileManager.default.removeItem(at: url)
            opened.removeLast()
            await open(late)
            #expect(late.failure?.code == .fileDoesNotExist)
            late = try exhaust(&opened)
        }
        #expect(!opened.isEmpty)
        try FileManager.default.removeItem(at: url)
    }

    @Test func `REL-2: a file takes a descriptor until it is closed`() async throws {
        defer { try? FileManager.default.removeItem(at: url) }
        var opened: [OutgoingFile] = []
        _ = try exhaust(&opened)
        let gate = await holdCloses()
        opened = []
        let late = try OutgoingFile(url, descriptors: descriptors)
        let isReady = late.isReady
        gate.open()
        try #require(!isReady)
        await open(late)
        #expect(late.opened != nil)
    }

    @Test
    func `SEC-6: the first call's file is opened though all descriptors are kept behind it`()
        async throws
    {
        defer { try? FileManager.default.removeItem(at: url) }
        var opened: [OutgoingFile] = []
        let first = try exhaust(&opened)
        await openBeyondLimit(first)
        #expect(first.opened != nil)
        // Neither the one beyond the limit nor its turn, which comes later, costs a descriptor.
        let count = opened.count
        opened = []
        await settle()
        _ = try exhaust(&opened)
        #expect(opened.count == count)
    }

    @Test func `REL-2: a file that was opened beyond the limit is closed when its call is done`()
        async throws
    {
        defer { try? FileManager.default.removeItem(at: url) }
        var opened: [OutgoingFile] = []
        var file: OutgoingFile? = try exhaust(&opened)
        await openBeyondLimit(try #require(file))
        weak let descriptor = try #require(file?.opened)
        file = nil
        // The thread that has opened it has it until then.
        await settle()
        #expect(descriptor == nil)
        #expect(!opened.isEmpty)
    }

    @Test
    func `SEC-6: a call is held up when it waits for its file and all before it are done with`()
        throws
    {
        defer { try? FileManager.default.removeItem(at: url) }
        var opened: [OutgoingFile] = []
        let file = try exhaust(&opened)
        var task = BackgroundCall.NewTask(
            identifier: 2,
            request: Wire.Request(url: "http://a/", method: "PUT", fields: [], idleTimeout: 60)
        )
        task.upload = BackgroundCall.Upload(file: file, path: file.path)
        task.isResumed = true
        var outbox = Outbox()
        outbox.add(.resume(task: 1))
        outbox.add(.create(task))
        #expect(
            outbox.sendNew(keepsIncomplete: true) { _ in } == .file(file, isFirst: false)
        )
        #expect(!outbox.isHeldUp)
        _ = outbox.removeFirst()
        #expect(outbox.isHeldUp)
        #expect(outbox.sendNew(keepsIncomplete: true) { _ in } == .file(file, isFirst: true))
    }
}
