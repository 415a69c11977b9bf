import FerryWire
import Foundation
import Testing

@testable import Ferry

@Suite(.timeLimit(.minutes(5))) struct OutboxTests {
    private func task(_ identifier: Int) -> BackgroundCall.NewTask {
        BackgroundCall.NewTask(
            identifier: identifier,
            request: Wire.Request(
                url: "http://a/\(identifier)",
                method: "GET",
                fields: [],
                idleTimeout: 60
            )
        )
    }

    /// Sends what is new, keeping a task that is not resumed.
    private func sent(_ outbox: inout Outbox, keepsIncomplete: Bool = true) -> [BackgroundCall] {
        var calls: [BackgroundCall] = []
        _ = outbox.sendNew(keepsIncomplete: keepsIncomplete) { calls.append($0.call) }
        return calls
    }

    @Test func `a task that is described and resumed at once is one call`() {
        var outbox = Outbox()
        outbox.add(.create(task(1)))
        #expect(sent(&outbox).isEmpty)
        outbox.add(.setDescription(task: 1, "cover"))
        outbox.add(.setPriority(task: 1, 0.75))
        #expect(sent(&outbox).isEmpty)
        outbox.add(.resume(task: 1))
        var whole = task(1)
        whole.description = "cover"
        whole.priority = 0.75
        whole.isResumed = true
        #expect(sent(&outbox) == [.create(whole)])
        #expect(sent(&outbox).isEmpty)
    }

    @Test func `a task that was sent is changed by calls of its own`() {
        var outbox = Outbox()
        outbox.add(.create(task(1)))
        #expect(sent(&outbox, keepsIncomplete: false) == [.create(task(1))])
        outbox.add(.resume(task: 1))
        #expect(sent(&outbox) == [.resume(task: 1)])
    }

    @Test func `USE-10: acknowledgements that share a call keep the paths of their files`() {
        let files = [
            Wire.SavedFile(sequence: 1, path: "/a"), Wire.SavedFile(sequence: 3, path: "/b"),
        ]
        var outbox = Outbox()
        outbox.beginConnection()
        outbox.add(.acknowledge(sequence: 1, files: [files[0]]))
        outbox.add(.acknowledge(sequence: 2))
        outbox.add(.acknowledge(sequence: 3, files: [files[1]]))
        #expect(
            sent(&outbox, keepsIncomplete: false)
                == [.acknowledge(sequence: 1, others: [2, 3], files: files)]
        )
    }

    @Test func `REL-2: what an acknowledged call holds is let go of at once`() {
        final class Held: Sendable { var isHeld: Bool { true } }
        var outbox = Outbox()
        weak var held: Held?
        do {
            let content = Held()
            held = content
            outbox.add(.resume(task: 1)) { _ in _ = content.isHeld }
        }
        for number in 2..<10 { outbox.add(.resume(task: number)) }
        _ = sent(&outbox)
        #expect(held != nil)
        _ = outbox.removeFirst()
        #expect(held == nil)
        #expect(outbox.first(number: 1) != nil)
    }

    @Test func `what is asked for after a task was resumed is not part of its creation`() {
        var outbox = Outbox()
        outbox.add(.create(task(1)))
        outbox.add(.resume(task: 1))
        outbox.add(.setPriority(task: 1, 0.25))
        outbox.add(.suspend(task: 1))
        var resumed = task(1)
        resumed.isResumed = true
        let rest: [BackgroundCall] = [.setPriority(task: 1, 0.25), .suspend(task: 1)]
        #expect(sent(&outbox) == [.create(resumed)] + rest)
    }

    @Test func `another task's call sends the one before it`() {
        var outbox = Outbox()
        outbox.add(.create(task(1)))
        outbox.add(.create(task(2)))
        #expect(sent(&outbox) == [.create(task(1))])
        outbox.add(.resume(task: 1))
        #expect(sent(&outbox) == [.create(task(2)), .resume(task: 1)])
    }

    @Test func `a call that a daemon may know is repeated as it was`() {
        var outbox = Outbox()
        outbox.add(.create(task(1)))
        _ = sent(&outbox, keepsIncomplete: false)
        // The connection is lost meanwhile: the daemon may have the task, and would not resume it.
        outbox.add(.resume(task: 1))
        outbox.beginConnection()
        let calls = sent(&outbox)
        #expect(calls == [.create(task(1)), .resume(task: 1)])
    }

    @Test func `a new connection gets all that is not done, and then what is new`() {
        var outbox = Outbox()
        for number in 1...5 { outbox.add(.suspend(task: number)) }
        #expect(sent(&outbox).count == 5)
        _ = outbox.removeFirst()
        _ = outbox.removeFirst()
        _ = outbox.removeFirst()
        outbox.beginConnection()
        let calls = sent(&outbox)
        #expect(calls == [.suspend(task: 4), .suspend(task: 5)])
        outbox.add(.suspend(task: 6))
        #expect(sent(&outbox) == [.suspend(task: 6)])
    }

    @Test func `what was asked for a task that has ended is asked of no other daemon`() {
        var outbox = Outbox()
        for identifier in 1...2 { outbox.add(.create(task(identifier))) }
        outbox.add(.resume(task: 1))
        _ = sent(&outbox, keepsIncomplete: false)
        outbox.taskEnded(1)
        #expect(outbox.endConnection().isEmpty)
        outbox.beginConnection()
        #expect(sent(&outbox, keepsIncomplete: false) == [.create(task(2))])
    }

    @Test func `who waits for nothing but a task that has ended waits no longer`() {
        var outbox = Outbox()
        outbox.add(.create(task(1)))
        _ = sent(&outbox, keepsIncomplete: false)
        #expect(!outbox.wait {})
        outbox.taskEnded(1)
        // The connection may still bring the answer.
        #expect(!outbox.isEmpty)
        #expect(outbox.endConnection().count == 1)
        #expect(outbox.isEmpty)
    }

    @Test func `what is asked of a task whose creation was acknowledged is repeated as ever`() {
        var outbox = Outbox()
        outbox.add(.create(task(1)))
        _ = sent(&outbox, keepsIncomplete: false)
        _ = outbox.removeFirst()
        outbox.add(.cancel(task: 1, producingResumeData: false))
        outbox.taskEnded(1)
        #expect(outbox.endConnection().isEmpty)
        outbox.beginConnection()
        #expect(sent(&outbox) == [.cancel(task: 1, producingResumeData: false)])
    }

    @Test func `the file of an upload that the daemon has is let go of at once`() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "outbox-\(UUID())")
        try Data([1]).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        var outbox = Outbox()
        weak var file: OutgoingFile?
        do {
            let outgoing = try OutgoingFile(url)
            file = outgoing
            var upload = task(1)
            upload.upload = BackgroundCall.Upload(file: outgoing, path: url.path)
            outbox.add(.create(upload))
        }
        for identifier in 2...5 { outbox.add(.create(task(identifier))) }
        _ = sent(&outbox, keepsIncomplete: false)
        #expect(file != nil)
        _ = outbox.removeFirst()
        #expect(file == nil)
    }
}
