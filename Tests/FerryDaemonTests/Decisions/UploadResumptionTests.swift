import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

/// Uploads that go on where they were cut off.
@Suite(.timeLimit(.minutes(5))) struct UploadResumptionTests {
    private let identity = FileIdentity(device: 1, inode: 2, size: 500, modified: 3, changed: 4)
    private let resource = UploadResource(url: "http://a/resources/1", language: .draft8)

    private func create(
        _ bench: inout MachineBench,
        _ client: BenchClient,
        resumeData: Data? = nil
    ) -> CallID {
        let create = Wire.CreateUpload(
            session: client.session,
            identifier: 1,
            request: Wire.Request(url: "http://a/in", method: "PUT", fields: [], idleTimeout: 60),
            path: "/home/jo/file",
            resumeData: resumeData,
            priority: 0.5
        )
        let call = bench.call(client) { [identity] in
            $0.createUpload(create, of: identity, from: $1)
        }
        bench.settle()
        return call
    }

    /// A bench with an upload that is under way.
    private func running() -> (bench: MachineBench, client: BenchClient) {
        var bench = MachineBench()
        let client = bench.open()
        _ = create(&bench, client)
        if let (task, _, call) = bench.securings.last {
            bench.input { $0.secured(task: task, nil, for: call) }
        }
        bench.settle()
        bench.resume(client)
        return (bench, client)
    }

    private func stored(_ bench: MachineBench) -> UploadState? {
        bench.stored(1)?.upload?.value
    }

    @Test func `UP-5: where an upload goes on is in the store before it is needed`() {
        var (bench, _) = running()
        bench.input { $0.moved(task: 1, to: resource) }
        bench.settle()
        #expect(bench.stored(1)?.uploadResource == resource)
        #expect(
            bench.database.synchronized.tasks[1]?.record.uploadResource == resource,
            "it would be sent again after a power cut"
        )
        #expect(stored(bench)?.identity == identity)
        let next = MachineBench(on: bench.database)
        #expect(next.transfers[1]?.task.uploadResource == resource)
    }

    @Test func `UP-5: nor does an upload start anew while the store does not know it`() {
        var (bench, _) = running()
        bench.input { $0.moved(task: 1, to: resource) }
        bench.input { $0.stop(task: 1) }
        let searches = bench.effects.compactMap { effect in
            if case .query(.candidates(let search)) = effect { search } else { nil }
        }
        #expect(searches.last?.runningTasks == [1])
        bench.settle()
        #expect(bench.transfers[1]?.task.uploadResource == resource)
        #expect(bench.machine.readings.isEmpty)
    }

    @Test func `UP-7: what the server has forgotten is forgotten`() {
        var (bench, _) = running()
        bench.input { $0.moved(task: 1, to: resource) }
        bench.settle()
        bench.input { $0.moved(task: 1, to: nil) }
        bench.input { $0.failed(task: 1, .sample(.uploadGone)) }
        bench.settle()
        #expect(bench.stored(1)?.uploadResource == nil)
        #expect(bench.stored(1)?.state == .waiting)
    }

    @Test func `an upload that comes forward is tried again soon`() {
        var (bench, _) = running()
        for count in 1...5 {
            var resource = resource
            resource.acknowledgedByteCount = Int64(count * 10)
            bench.input { $0.moved(task: 1, to: resource) }
            bench.input { $0.failed(task: 1, .sample(.connectionLost)) }
            bench.settle()
            #expect(bench.stored(1)?.attempts == 1)
            bench.wait(10)
        }
    }

    @Test func `UP-5: a cancelled upload leaves resume data, and stays at the server`() throws {
        var (bench, client) = running()
        bench.input { $0.moved(task: 1, to: resource) }
        bench.settle()
        let cancel = Wire.CancelProducingResumeData(session: client.session, identifier: 1)
        let outcome = bench.settledCall(client) { $0.cancelProducingResumeData(cancel, from: $1) }
        guard case .answer(.resumeData(let data?)) = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
        let resumeData = try UploadResumeData(decoding: Array(data))
        #expect(resumeData.resource == resource)
        #expect(
            resumeData.content
                == .file(path: "/home/jo/file", identity: identity, boot: .current)
        )
        #expect(bench.terminations == [])
    }

    @Test
    func `UP-5: what the server tells while a task is read to be ended is in its resume data`()
        throws
    {
        var (bench, client) = running()
        let cancel = Wire.CancelProducingResumeData(session: client.session, identifier: 1)
        let call = bench.call(client) { $0.cancelProducingResumeData(cancel, from: $1) }
        let answers = bench.stepHoldingBack()
        bench.input { $0.moved(task: 1, to: resource) }
        bench.step()
        bench.input { $0.failed(task: 1, .sample(.connectionLost)) }
        bench.step()
        #expect(bench.machine.running.isEmpty)
        for answer in answers { bench.take(answer) }
        bench.settle()
        guard case .answer(.resumeData(let data?)) = bench.outcomes[call] else {
            Issue.record("\(String(describing: bench.outcomes[call]))")
            return
        }
        #expect(try UploadResumeData(decoding: Array(data)).resource == resource)
        #expect(bench.machine.readings.isEmpty)
    }

    @Test func `a cancelled upload is taken back from the server`() {
        var (bench, client) = running()
        bench.input { $0.moved(task: 1, to: resource) }
        bench.settle()
        let cancel = Wire.Cancel(session: client.session, identifier: 1)
        _ = bench.settledCall(client) { $0.cancel(cancel, from: $1) }
        #expect(bench.terminations == [1])
    }

    @Test(arguments: [TransferError.Code.fileChanged, .fileMissing])
    func `UP-10: an upload of a file that was changed or is gone leaves no resume data`(
        code: TransferError.Code
    ) throws {
        var (bench, client) = running()
        let subscription = bench.subscribe(client)
        bench.input { $0.moved(task: 1, to: resource) }
        bench.input { $0.failed(task: 1, .sample(code)) }
        bench.settle()
        let end = try #require(bench.events[subscription]?.last)
        #expect(end.failure?.code == code.rawValue)
        #expect(end.resumeData == nil)
    }

    @Test func `an upload that is lost for good leaves resume data in its last event`() throws {
        var (bench, client) = running()
        let subscription = bench.subscribe(client)
        bench.input { $0.moved(task: 1, to: resource) }
        bench.input { $0.failed(task: 1, .sample(.badServerResponse)) }
        bench.settle()
        let end = try #require(bench.events[subscription]?.last)
        #expect(end.resumeData.map { UploadResumeData.isAround($0) } == true)
    }

    @Test func `UP-6: an upload from resume data begins where that says`() throws {
        let resumeData = UploadResumeData(
            request: TransferRequest(url: "http://a/in", method: "PUT"),
            resource: resource,
            content: .file(path: "/home/jo/file", identity: identity, boot: .current)
        )
        var bench = MachineBench()
        let client = bench.open()
        _ = create(&bench, client, resumeData: Data(try resumeData.encoded()))
        #expect(bench.stored(1)?.uploadResource == resource)
    }

    @Test func `UP-12: resume data that cannot be read is refused`() {
        var bench = MachineBench()
        let client = bench.open()
        let call = create(&bench, client, resumeData: Data([1, 2, 3]))
        guard case .refusal(.invalidRequest(let parameter, _)) = bench.outcomes[call] else {
            Issue.record("\(String(describing: bench.outcomes[call]))")
            return
        }
        #expect(parameter == "resumeData")
    }

    /// What was stored before uploads could be continued.
    private struct EarlierState: StoredRecord {
        var place = "copy"
        var path = "/f"
        var identity: FileIdentity
        var boot = BootIdentifier.current
    }

    @Test func `what an earlier ferryd has stored is read without a place to go on`() throws {
        let earlier = Encoded(EarlierState(identity: identity))
        let state = try #require(Encoded<UploadState>(text: earlier.text).value)
        #expect(state.place == .copy)
        #expect(state.byteCount == 500)
    }
}
