import FerryStore
import FerrySystem
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon
@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5))) struct AdoptionTests {
    @Test func `a task has its resume data in the store before its file is taken over`() {
        var bench = MachineBench()
        let client = bench.open()
        let call = createFromResumeData(&bench, client)
        #expect(bench.adoptions.isEmpty)
        bench.settle()
        #expect(bench.outcomes[call] == .answer(.created(task: 1)))
        #expect(bench.adoptions.map(\.id) == [1])
        let state = bench.database.synchronized.tasks[1]?.record.checkpoint?.value
        #expect(state == ByteState(isFromResumeData: true, resumeData: Data([1])))
    }

    @Test func `RD-6: a task made from resume data has its bytes from the beginning`() throws {
        var bench = MachineBench()
        let client = bench.open()
        let resumeData = ResumeData(
            request: TransferRequest(url: "http://a/1"),
            currentURL: "http://a/1",
            checkpoint: .sample,
            path: "/left"
        )
        createFromResumeData(&bench, client, Data(try resumeData.encoded()))
        bench.settle()
        #expect(bench.stored(1)?.receivedByteCount == 40)
        #expect(bench.stored(1)?.expectedByteCount == 100)
    }

    @Test func `a task that is resumed at once loads when its file is there`() throws {
        var bench = MachineBench()
        let client = bench.open()
        createFromResumeData(&bench, client)
        bench.resume(client)
        #expect(bench.loading.isEmpty)
        #expect(bench.adoptions.count == 1)
        bench.adopt(.success(.sample))
        let start = try #require(bench.transfers[1])
        let state = start.task.checkpoint?.value
        #expect(state == ByteState(checkpoint: .sample, isFromResumeData: true))
        #expect(start.task.receivedByteCount == 40)
    }

    @Test func `a full disk costs a task of resume data no attempt`() {
        var bench = MachineBench()
        let client = bench.open()
        createFromResumeData(&bench, client)
        bench.resume(client)
        bench.adopt(.failure(.sample(.diskFull)))
        #expect(bench.stored(1)?.attempts == 0)
        #expect(bench.stored(1)?.notBefore != nil)
        bench.wait(40)
        bench.adopt(.failure(.sample(.outOfMemory)))
        #expect(bench.stored(1)?.attempts == 1)
    }

    @Test func `a daemon that died before a file was there takes it over when the task is to load`()
    {
        var earlier = MachineBench()
        let client = earlier.open()
        createFromResumeData(&earlier, client)
        earlier.resume(client)
        var bench = MachineBench(on: earlier.database)
        #expect(bench.adoptions.map(\.id) == [1])
        #expect(bench.loading.isEmpty)
        bench.adopt(.success(.sample))
        #expect(bench.loading == [1])
    }

    @Test func `tasks whose files are taken over keep no place from others`() {
        var bench = MachineBench()
        let client = bench.open(configuration: .limited(1))
        createFromResumeData(&bench, client)
        bench.resume(client)
        #expect(bench.start(client, 2) == 2)
        #expect(bench.loading == [2])
    }

    @Test func `a task that could not be stored leaves its resume data alone`() {
        var bench = MachineBench()
        let client = bench.open()
        bench.failure = .model(.diskFull)
        let call = createFromResumeData(&bench, client)
        bench.settle()
        #expect(bench.outcomes[call]?.isStoreUnavailable == true)
        #expect(bench.adoptions.isEmpty)
        #expect(!bench.effects.contains(.discardFile(task: 1)))
        #expect(bench.machine.creations.isEmpty)
    }

    @Test func `the same call once more does not take the file over again`() {
        var bench = MachineBench()
        let client = bench.open()
        let first = createFromResumeData(&bench, client)
        let second = createFromResumeData(&bench, client)
        bench.settle()
        let third = createFromResumeData(&bench, client)
        bench.settle()
        for call in [first, second, third] {
            #expect(bench.outcomes[call] == .answer(.created(task: 1)))
        }
        #expect(bench.adoptions.map(\.id) == [1])
        #expect(!bench.effects.contains(.discardFile(task: 1)))
    }

    @Test func `a daemon that takes over a file is not idle`() {
        var bench = MachineBench()
        let client = bench.open(launch: nil)
        createFromResumeData(&bench, client)
        bench.settle()
        bench.disconnect(client)
        bench.wait(60)
        #expect(!bench.hasExited)
        bench.adopt(.success(.sample))
        bench.wait(60)
        #expect(bench.hasExited)
    }

    @Test func `what is taken over before a daemon that was told to stop ends is stored`() {
        var bench = MachineBench()
        let client = bench.open()
        createFromResumeData(&bench, client)
        bench.resume(client)
        bench.start(client, 2)
        bench.input { machine in machine.stopDaemon(call: nil) }
        #expect(!bench.hasExited, "how far the other one has come is being stored")
        bench.adopt(.success(.sample), settling: false)
        while bench.stored(1)?.checkpoint?.value?.checkpoint == nil, bench.hasWork {
            #expect(!bench.hasExited)
            bench.step()
        }
        bench.settle()
        #expect(bench.hasExited)
        #expect(bench.stored(1)?.checkpoint?.value?.checkpoint == .sample)
        let next = MachineBench(on: bench.database)
        #expect(next.adoptions.isEmpty)
        #expect(next.loading == [1, 2])
    }

    @Test func `a file that hangs keeps no daemon from ending, and the next one takes it over`() {
        var earlier = MachineBench()
        let client = earlier.open()
        createFromResumeData(&earlier, client)
        earlier.resume(client)
        earlier.input { machine in machine.stopDaemon(call: nil) }
        earlier.settle()
        #expect(earlier.hasExited)
        let state = earlier.stored(1)?.checkpoint?.value
        #expect(state == ByteState(isFromResumeData: true, resumeData: Data([1])))
        #expect(!earlier.effects.contains(.discardFile(task: 1)))
        var bench = MachineBench(on: earlier.database)
        #expect(bench.adoptions.map(\.id) == [1])
        #expect(bench.loading.isEmpty)
        bench.adopt(.success(.sample))
        #expect(bench.loading == [1])
        #expect(bench.stored(1)?.checkpoint?.value?.checkpoint == .sample)
    }

    // MARK: Failures

    @Test func `RD-10: a task whose file is gone fails when it is resumed`() {
        var bench = MachineBench()
        let client = bench.open()
        createFromResumeData(&bench, client)
        bench.settle()
        bench.adopt(.failure(.sample(.fileMissing)))
        #expect(bench.stored(1)?.state == .suspended)
        #expect(bench.stored(1)?.checkpoint?.value?.failure?.code == .fileMissing)
        bench.resume(client)
        #expect(bench.loading == [1], "the failure is what its transfer begins and ends with")
    }

    @Test(arguments: [TransferError.Code.diskFull, .outOfMemory])
    func `a disk or a memory that has no room for a copy may have it later`(
        _ code: TransferError.Code
    ) {
        var bench = MachineBench()
        let client = bench.open()
        createFromResumeData(&bench, client)
        bench.resume(client)
        bench.adopt(.failure(.sample(code)))
        #expect(bench.adoptions.count == 1)
        bench.wait(30)
        #expect(bench.adoptions.count == 2)
        bench.adopt(.success(.sample))
        #expect(bench.loading == [1])
    }

    @Test func `what could not be noted of a file is found again`() {
        var bench = MachineBench()
        let client = bench.open()
        createFromResumeData(&bench, client)
        bench.resume(client)
        bench.failure = .model(.corrupt)
        bench.adopt(.success(.sample))
        bench.failure = nil
        #expect(bench.loading.isEmpty)
        bench.resume(client)
        #expect(bench.adoptions.count == 2)
        bench.adopt(.success(.sample))
        #expect(bench.loading == [1])
    }

    // MARK: Ends

    @Test func `a task may end while its file is taken over`() {
        var bench = MachineBench()
        let client = bench.open()
        createFromResumeData(&bench, client)
        bench.resume(client)
        #expect(bench.cancel(client) == .done)
        #expect(bench.effects.contains(.discardFile(task: 1)))
        bench.forgetEffects()
        bench.adopt(.failure(.sample(.diskFull)))
        #expect(bench.stored(1)?.state == .completed)
        #expect(bench.stored(1)?.notBefore == nil)
        #expect(bench.machine.creations.adoptions.isEmpty && bench.machine.operationCount == 0)
    }

    @Test func `a task that could not end goes on with the file that was taken over meanwhile`() {
        var bench = MachineBench()
        let client = bench.open()
        createFromResumeData(&bench, client)
        bench.resume(client)
        let cancel = Wire.Cancel(session: client.session, identifier: 1)
        let call = bench.call(client) { $0.cancel(cancel, from: $1) }
        bench.step()
        bench.adopt(.success(.sample), settling: false)
        bench.failure = .model(.diskFull)
        bench.step()
        bench.failure = nil
        #expect(bench.outcomes[call]?.isStoreUnavailable == true)
        bench.settle()
        #expect(bench.adoptions.count == 2)
        bench.adopt(.success(.sample))
        #expect(bench.loading == [1])
    }

    @discardableResult
    private func createFromResumeData(
        _ bench: inout MachineBench,
        _ client: BenchClient,
        _ data: Data = Data([1])
    ) -> CallID {
        var create = Wire.CreateDownload.sample(client.session)
        create.resumeData = data
        return bench.call(client) { [create] in $0.createDownload(create, from: $1) }
    }
}

extension MachineBench {
    /// The file of the latest resume data was taken over, or could not be.
    fileprivate mutating func adopt(
        _ result: Result<Checkpoint, TransferError>,
        settling: Bool = true
    ) {
        guard let task = adoptions.last else { return }
        input { $0.adopted(task, result) }
        if settling { settle() }
    }
}

extension Checkpoint {
    /// A part of a resource.
    fileprivate static let sample = Checkpoint(
        generation: 7,
        version: ResourceVersion(
            validator: .strongETag("\"a\""),
            totalByteCount: 100,
            url: "http://a/1"
        ),
        synchronizedByteCount: 0,
        writtenByteCount: 40,
        bootIdentifier: .current
    )
}
