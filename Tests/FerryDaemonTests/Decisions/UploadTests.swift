import FerryHTTP
import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials
import Glibc
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct UploadTests {
    private let identity = FileIdentity(device: 1, inode: 2, size: 500, modified: 3, changed: 4)

    @discardableResult
    private func create(
        _ bench: inout MachineBench,
        _ client: BenchClient,
        _ identifier: Int = 1,
        of file: FileIdentity? = FileIdentity(
            device: 1,
            inode: 2,
            size: 500,
            modified: 3,
            changed: 4
        ),
        path: String = "/home/jo/file",
        settling: Bool = true
    ) -> CallID {
        let create = Wire.CreateUpload(
            session: client.session,
            identifier: identifier,
            request: .sample("http://a/\(identifier)"),
            path: path,
            priority: 0.5
        )
        let call = bench.call(client) { $0.createUpload(create, of: file, from: $1) }
        if settling { bench.settle() }
        return call
    }

    /// The daemon has done for the last file what it can.
    private func secure(_ bench: inout MachineBench, isCopied: Bool = true) {
        guard let (task, upload, call) = bench.securings.last else { return }
        var copied = upload
        copied.place = .copy
        let state = isCopied ? copied : nil
        bench.input { $0.secured(task: task, state, for: call) }
        bench.settle()
    }

    /// A bench with an upload that is under way.
    private func running(_ client: inout BenchClient?) -> MachineBench {
        var bench = MachineBench()
        let opened = bench.open()
        create(&bench, opened)
        secure(&bench)
        bench.resume(opened)
        client = opened
        return bench
    }

    private var running: MachineBench {
        var client: BenchClient?
        return running(&client)
    }

    // MARK: Creation

    @Test func `BG-42: the call is answered when the daemon has made sure of the file`() throws {
        var bench = MachineBench()
        let client = bench.open()
        let call = create(&bench, client)
        // What is asked of the task meanwhile finds it.
        let stored = bench.stored(1)?.upload?.value
        #expect(stored?.place == .original && stored?.identity == identity)
        #expect(bench.outcomes[call] == nil)
        bench.resume(client)
        #expect(bench.loading.isEmpty)
        secure(&bench)
        #expect(bench.outcomes[call] == .answer(.created(task: 1)))
        #expect(bench.stored(1)?.upload?.value?.place == .copy)
        #expect(bench.loading == [1])
    }

    @Test func `a file that the system does not tell of is not the application's mistake`() {
        var bench = MachineBench()
        let client = bench.open()
        let error = SystemCallError(call: "fstat", errno: EIO)
        let call = bench.call(client) { $0.refuseUpload(after: error, from: $1) }
        #expect(bench.outcomes[call]?.isStoreUnavailable == true)
        #expect(bench.stored(1) == nil)
    }

    @Test func `BG-42: a file that must stay as it is stays known as it was handed over`() {
        var bench = MachineBench()
        let client = bench.open()
        let call = create(&bench, client)
        secure(&bench, isCopied: false)
        #expect(bench.outcomes[call] == .answer(.created(task: 1)))
        #expect(bench.stored(1)?.upload?.value?.place == .original)
        bench.resume(client)
        #expect(bench.loading == [1])
    }

    @Test func `a store that does not take the copy has the file as it was handed over`() {
        var bench = MachineBench()
        let client = bench.open()
        let call = create(&bench, client)
        bench.failure = .model(.diskFull)
        secure(&bench)
        bench.failure = nil
        #expect(bench.outcomes[call] == .answer(.created(task: 1)))
        #expect(bench.stored(1)?.upload?.value?.place == .original)
    }

    @Test func `a task that has gone meanwhile leaves no copy behind`() {
        var bench = MachineBench()
        let client = bench.open()
        create(&bench, client)
        let deletion = StoreLine.Commit(
            mutations: [.deleteTask(id: 1)],
            durability: .synchronized,
            continuation: .nothing
        )
        _ = bench.database.transact([deletion], failure: nil)
        secure(&bench)
        #expect(bench.effects.contains(.discardFile(task: 1)))
    }

    @Test func `a repeated call makes sure of the file of the first`() {
        var bench = MachineBench()
        let client = bench.open()
        create(&bench, client)
        let call = create(&bench, client)
        #expect(bench.securings.map(\.task) == [1, 1])
        secure(&bench)
        #expect(bench.outcomes[call] == .answer(.created(task: 1)))
    }

    @Test func `what is sent is the file of the first call, whatever a repeated one brings`() {
        var bench = MachineBench()
        let client = bench.open()
        create(&bench, client)
        var other = identity
        other.changed += 1
        create(&bench, client, of: other)
        #expect(bench.securings.map(\.upload.identity) == [identity, identity])
    }

    @Test func `a repeated call has nothing made sure of that is copied`() {
        var bench = MachineBench()
        let client = bench.open()
        create(&bench, client)
        secure(&bench)
        let call = create(&bench, client)
        #expect(bench.securings.count == 1)
        #expect(bench.outcomes[call] == .answer(.created(task: 1)))
    }

    @Test func `a repeated call is refused when the store cannot tell of its task`() {
        var bench = MachineBench()
        let client = bench.open()
        create(&bench, client)
        let call = create(&bench, client, settling: false)
        bench.step()
        bench.failure = .model(.inputOutput)
        bench.settle()
        #expect(bench.outcomes[call]?.isStoreUnavailable == true)
    }

    /// An attempt reads the application's own file, and the call that created it is repeated.
    private func readingWhileRepeated() -> MachineBench {
        var bench = MachineBench()
        let client = bench.open()
        create(&bench, client)
        secure(&bench, isCopied: false)
        bench.resume(client)
        create(&bench, client)
        return bench
    }

    @Test func `an attempt that reads the file itself goes on with the copy of a repeated call`() {
        var bench = readingWhileRepeated()
        bench.forgetEffects()
        secure(&bench)
        #expect(bench.effects.contains(.stop(task: 1)))
        #expect(bench.loading == [1])
        #expect(bench.transfers[1]?.task.upload?.value?.place == .copy)
    }

    @Test func `a copy of a repeated call costs no place that the server has told meanwhile`() {
        var bench = readingWhileRepeated()
        guard let (task, upload, call) = bench.securings.last else { return }
        var copied = upload
        copied.place = .copy
        let resource = UploadResource(url: "http://a/resources/1", language: .draft8)
        // The store is asked, and has not been told yet, when the attempt ends.
        bench.input { $0.secured(task: task, copied, for: call) }
        bench.input { $0.moved(task: task, to: resource) }
        bench.input { $0.stop(task: task) }
        bench.settle()
        #expect(bench.stored(task)?.uploadResource == resource)
        #expect(bench.stored(task)?.upload?.value?.place == .copy)
        #expect(bench.machine.readings.isEmpty)
    }

    @Test func `a copy that comes after the end takes nothing of the answer along`() {
        var bench = readingWhileRepeated()
        bench.finish(1)
        bench.forgetEffects()
        secure(&bench)
        #expect(bench.effects.contains(.seal(task: 1)))
        #expect(!bench.effects.contains(.discardFile(task: 1)))
    }

    @Test(arguments: [true, false])
    func `a call without a file, or without its path, is refused`(hasFile: Bool) {
        var bench = MachineBench()
        let client = bench.open()
        let call = create(
            &bench,
            client,
            of: hasFile ? identity : nil,
            path: hasFile ? "file" : "/file"
        )
        guard case .refusal(.invalidRequest("path", _)) = bench.outcomes[call] else {
            Issue.record("\(String(describing: bench.outcomes[call]))")
            return
        }
    }

    @Test func `a request's body is not kept`() {
        let request = Wire.Request(
            url: "http://a/",
            method: "PUT",
            fields: [],
            body: Data([1]),
            idleTimeout: 1
        )
        let create = Wire.CreateUpload(
            session: 1,
            identifier: 1,
            request: request,
            path: "/a",
            priority: 1
        )
        #expect(DaemonStateMachine.NewTask(create).request.body == nil)
    }

    // MARK: Under way

    @Test func `what was sent is told, at most ten times a second`() {
        var client: BenchClient?
        var bench = running(&client)
        guard let client else { return }
        let subscription = bench.subscribe(client)
        bench.wait(1)
        for sent in [100, 200, 300] as [Int64] {
            bench.input { $0.sent(task: 1, byteCount: sent) }
        }
        #expect(bench.events[subscription]?.compactMap(\.sentByteCount).suffix(1) == [100])
        bench.wait(0.2)
        #expect(bench.events[subscription]?.compactMap(\.sentByteCount).suffix(2) == [100, 300])
    }

    @Test func `BG-18: a lost connection begins the upload anew, later each time`() {
        var bench = running
        for attempt in 1...3 {
            bench.input { $0.sent(task: 1, byteCount: 400) }
            bench.input { $0.progressed(task: 1, received: 3, expected: 9) }
            bench.input { $0.failed(task: 1, .sample(.connectionLost)) }
            bench.settle()
            #expect(bench.stored(1)?.attempts == attempt)
            bench.wait(60)
            #expect(bench.machine.running[1]?.sentByteCount == 0)
            #expect(bench.machine.running[1]?.receivedByteCount == 0)
        }
    }

    @Test(arguments: [TransferError.Code.fileChanged, .fileMissing, .responseTooLong])
    func `BG-42: a file that is not what it was ends the task, without resume data`(
        code: TransferError.Code
    ) {
        var bench = running
        bench.input { $0.failed(task: 1, .sample(code)) }
        bench.settle()
        #expect(bench.stored(1)?.state == .completed)
        #expect(bench.effects.contains(.discardFile(task: 1)))
        let isResumable = bench.effects.contains { effect in
            if case .makeResumeData = effect { true } else { false }
        }
        #expect(!isResumable)
    }

    @Test func `BG-14: the answer's body is the file of a finished upload`() throws {
        var client: BenchClient?
        var bench = running(&client)
        let subscription = bench.subscribe(try #require(client))
        bench.input {
            $0.responded(task: 1, response: .sample(500), request: .sample())
        }
        bench.input { $0.sent(task: 1, byteCount: 500) }
        bench.input { $0.finished(task: 1, byteCount: 6, path: "/answer") }
        bench.settle()
        let events = bench.events[subscription] ?? []
        let finished = try #require(events.first { $0.path != nil })
        #expect(finished.path == "/answer" && finished.receivedByteCount == 6)
        #expect(finished.sentByteCount == 500 && finished.response?.value?.status == 500)
        #expect(events.last?.kind == .completed && events.last?.failure == nil)
        #expect(bench.effects.contains(.seal(task: 1)))
    }

    @Test func `a cancelled upload ends once, and nothing of it is kept`() throws {
        var client: BenchClient?
        var bench = running(&client)
        let opened = try #require(client)
        let cancel = Wire.CancelProducingResumeData(session: opened.session, identifier: 1)
        let outcome = bench.settledCall(opened) { $0.cancelProducingResumeData(cancel, from: $1) }
        #expect(outcome == .answer(.resumeData(nil)))
        #expect(bench.stored(1)?.state == .completed)
        #expect(bench.effects.contains(.discardFile(task: 1)))
    }

    @Test func `a daemon that starts takes up its uploads as they were`() {
        var earlier = MachineBench()
        let client = earlier.open()
        create(&earlier, client)
        earlier.resume(client)
        let bench = MachineBench(on: earlier.database)
        #expect(bench.loading == [1])
        #expect(bench.stored(1)?.upload?.value?.identity == identity)
    }
}
