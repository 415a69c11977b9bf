import FerryHTTP
import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FerryWireTestSupport
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct RetryTests {
    @Test(arguments: [
        TransferError.Code.timedOut, .cannotFindHost, .cannotConnectToHost, .connectionLost,
        .notConnected, .secureConnectionFailed, .serverUnavailable, .diskFull, .fileUnreachable,
        .outOfMemory,
    ])
    func `BG-16, BG-18: what may pass by itself is tried again, and nobody is told`(
        _ code: TransferError.Code
    ) {
        var bench = MachineBench()
        let client = bench.open()
        let stream = bench.subscribe(client)
        let task = bench.start(client)
        bench.fail(task, code)
        #expect(bench.loading.isEmpty)
        #expect(bench.stored(task)?.state == .waiting)
        #expect(bench.stored(task)?.lastError?.value?.code == code.rawValue)
        bench.wait(60)
        #expect(bench.loading == [task])
        #expect(bench.events[stream]?.contains { $0.kind == .completed } == false)
    }

    @Test func `a task that succeeds after a failure does not pass for one that failed`() {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        bench.fail(task)
        bench.wait(60)
        bench.finish(task)
        #expect(bench.stored(task)?.state == .completed)
        #expect(bench.stored(task)?.attempts == 1)
        #expect(bench.stored(task)?.lastError == nil)
    }

    @Test(arguments: [
        TransferError.Code.badURL, .unsupportedURL, .tooManyRedirects, .redirectToNonHTTP,
        .certificateUntrusted, .certificateBadDate, .badServerResponse, .cannotDecodeContent,
        .cannotCreateFile, .cannotWriteToFile, .fileMissing, .resumeDataInvalid, .internalFailure,
    ])
    func `OR-10: what does not pass by itself ends the task`(_ code: TransferError.Code) {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        bench.fail(task, code)
        #expect(bench.stored(task)?.state == .completed)
        #expect(bench.lastEvent?.failure?.code == code.rawValue)
        #expect(bench.loading.isEmpty)
    }

    @Test func `RD-4: a task that fails has its resume data`() {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        bench.resumeData[task] = Data([1, 2])
        bench.fail(task, .certificateUntrusted)
        #expect(bench.lastEvent?.resumeData == Data([1, 2]))
    }

    @Test func `each attempt in vain waits longer`() {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        for (attempt, delay) in [0.5, 1, 2, 4, 8].enumerated() {
            bench.fail(task)
            #expect(bench.stored(task)?.attempts == attempt + 1)
            #expect(bench.timers[.retry] == bench.now + delay)
            bench.wait(delay)
            #expect(bench.loading == [task])
        }
    }

    /// A task with a limit for servers that have not answered.
    private func unanswered(
        _ bench: inout MachineBench,
        limit: Int,
        of client: BenchClient? = nil,
        _ identifier: Int = 1
    ) -> TaskID {
        let client = client ?? bench.open()
        var create = Wire.CreateDownload.sample(client.session, identifier)
        create.options = Wire.TransferOptions(
            retry: Wire.RetryRules(maximumUnansweredAttempts: limit)
        )
        create.resumed = true
        let request = create
        guard
            case .answer(.created(let task)) = bench.settledCall(
                client,
                { $0.createDownload(request, from: $1) }
            )
        else { return 0 }
        return task
    }

    @Test func `USE-3: a server that has not answered once is given up after as many failures`() {
        var bench = MachineBench()
        let task = unanswered(&bench, limit: 3)
        for _ in 1...2 {
            bench.fail(task, .cannotConnectToHost)
            bench.wait(60)
            #expect(bench.loading == [task])
        }
        bench.fail(task, .cannotFindHost)
        #expect(bench.stored(task)?.state == .completed)
        #expect(bench.lastEvent?.failure?.code == "cannotFindHost")
    }

    @Test func `USE-3: a server that has answered is worth more attempts`() {
        var bench = MachineBench()
        let task = unanswered(&bench, limit: 2)
        bench.input {
            $0.responded(task: task, response: .sample(), request: .sample())
        }
        for _ in 1...5 {
            bench.fail(task, .cannotConnectToHost)
            bench.wait(300)
            #expect(bench.loading == [task])
        }
    }

    /// A task fails, and is tried again however often it does.
    private func expectRetries(_ bench: inout MachineBench, of task: TaskID) {
        for _ in 1...5 {
            bench.fail(task, .cannotConnectToHost)
            bench.wait(300)
            #expect(bench.loading.contains(task))
        }
    }

    @Test
    func `USE-3: a server that has answered any task of an application is worth more attempts`() {
        var bench = MachineBench()
        let answered = bench.start(bench.open("first", configuration: .limited(9)))
        bench.input {
            $0.responded(task: answered, response: .sample(), request: .sample())
        }
        bench.finish(answered)
        let task = unanswered(&bench, limit: 2, of: bench.open("second"))
        expectRetries(&bench, of: task)
        let foreign = unanswered(&bench, limit: 2, of: bench.open("third", application: "other"))
        for _ in 1...2 {
            bench.fail(foreign, .cannotConnectToHost)
            bench.wait(300)
        }
        #expect(bench.stored(foreign)?.state == .completed)
    }

    @Test func `USE-3: a server that says that it cannot answer now has answered`() {
        var bench = MachineBench()
        let task = unanswered(&bench, limit: 2)
        bench.fail(task, .serverUnavailable)
        bench.wait(300)
        expectRetries(&bench, of: task)
    }

    @Test func `USE-3: where a server has led to is another one, which has not answered`() {
        var bench = MachineBench()
        let client = bench.open(configuration: .limited(9))
        let answered = bench.start(client)
        bench.input {
            $0.responded(task: answered, response: .sample(), request: .sample())
        }
        let task = unanswered(&bench, limit: 2, of: client, 2)
        for _ in 1...2 {
            let error = TransferError(
                code: .cannotConnectToHost,
                message: "refused",
                failingURL: "http://dead/1"
            )
            bench.input { $0.failed(task: task, error) }
            bench.settle()
            bench.wait(300)
        }
        #expect(bench.stored(task)?.state == .completed)
    }

    @Test
    func `USE-3: what fails while nobody waits is not given up, nor when somebody comes to look`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = unanswered(&bench, limit: 3, of: client)
        for _ in 1...2 {
            bench.fail(task, .cannotConnectToHost)
            bench.wait(300)
        }
        bench.disconnect(client)
        bench.fail(task, .cannotConnectToHost)
        bench.wait(300)
        #expect(bench.loading == [task])
        bench.open(process: 2)
        expectRetries(&bench, of: task)
        #expect(bench.stored(task)?.validOptions?.retry == Wire.RetryRules())
    }

    @Test func `USE-3: of hosts that have answered as many are known as there is room for`() {
        var hosts = AnsweringHosts()
        func line(_ number: Int) -> HostBreaker.Line {
            HostBreaker.Line(application: 1, host: "\(number)")
        }
        for number in 1...AnsweringHosts.limit + 1 { hosts.record(line(number)) }
        #expect(!hosts.contains(line(1)))
        #expect(hosts.contains(line(AnsweringHosts.limit + 1)))
        let known = (1...AnsweringHosts.limit + 1).count { hosts.contains(line($0)) }
        #expect(known <= AnsweringHosts.limit)
        #expect(known >= AnsweringHosts.limit / 2)
    }

    @Test func `USE-3: without a network no attempt counts as one without an answer`() {
        var bench = MachineBench()
        let task = unanswered(&bench, limit: 1)
        bench.input { $0.connectivityChanged(to: .disconnected) }
        bench.fail(task, .cannotFindHost)
        #expect(bench.stored(task)?.state == .waiting)
        #expect(bench.wait(of: task)?.reason == .network)
    }

    @Test func `bytes that arrive begin the delays anew`() {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        for _ in 1...3 {
            bench.fail(task)
            bench.wait(60)
        }
        bench.progress(task, 10)
        bench.fail(task)
        #expect(bench.stored(task)?.attempts == 1)
        #expect(bench.timers[.retry] == bench.now + 0.5)
    }

    @Test func `REL-7: bytes that are lost and come again do not begin the delays anew`() {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        for (attempt, (count, delay)) in [(40, 0.5), (39, 1), (40, 2), (38, 4)].enumerated() {
            bench.progress(task, 0)
            for received in 1...Int64(count) { bench.progress(task, received) }
            bench.fail(task)
            #expect(bench.stored(task)?.attempts == attempt + 1)
            #expect(bench.timers[.retry] == bench.now + delay)
            bench.wait(delay)
        }
        // Also not for a ferryd that has only the store's word.
        var next = MachineBench(on: bench.database)
        next.wait(300)
        #expect(next.loading == [task])
        next.progress(task, 0)
        next.progress(task, 40)
        next.fail(task)
        #expect(next.stored(task)?.attempts == 5)
        next.wait(300)
        next.progress(task, 41)
        next.fail(task)
        #expect(next.stored(task)?.attempts == 1)
    }

    @Test(arguments: ["suspended", "checkpoint", "stop"])
    func `REL-7: bytes that were won stay won when the attempt that brought them does not fail`(
        end: String
    ) {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client)
        bench.progress(task, 40)
        for _ in 1...3 {
            bench.fail(task)
            bench.wait(300)
        }
        #expect(bench.stored(task)?.attempts == 3)
        bench.progress(task, 50)
        switch end {
        case "suspended":
            bench.suspend(client)
            bench.resume(client)
        case "checkpoint":
            bench.input { machine in machine.checkpointed(task: task, [1]) }
            bench.settle()
            bench = MachineBench(on: bench.database)
        default:
            bench.input { machine in machine.stopDaemon(call: nil) }
            bench.settle()
            bench = MachineBench(on: bench.database)
        }
        bench.settle()
        #expect(bench.loading == [task] && bench.stored(task)?.attempts == 0)
        // The same bytes once more are no way forward.
        bench.progress(task, 0)
        bench.progress(task, 50)
        bench.fail(task)
        #expect(bench.stored(task)?.attempts == 1)
    }

    @Test func `REL-7: an app's number of attempts bounds those that win nothing`() {
        var bench = MachineBench()
        let client = bench.open()
        let rules = Wire.RetryRules(maximumAttempts: 3)
        let task = bench.create(client)
        let options = Wire.TransferOptions(retry: rules)
        let set = Wire.SetOptions(session: client.session, identifier: 1, options: options)
        _ = bench.settledCall(client) { $0.setOptions(set, from: $1) }
        bench.resume(client)
        for _ in 1...2 {
            bench.progress(task, 0)
            bench.progress(task, 40)
            bench.fail(task)
            bench.wait(300)
            #expect(bench.loading == [task])
        }
        bench.progress(task, 0)
        bench.progress(task, 40)
        bench.fail(task)
        #expect(bench.stored(task)?.state == .completed)
        #expect(bench.lastEvent?.failure?.code == "connectionLost")
    }

    @Test func `REL-6: rules without any delay are carried out with the least one`() {
        let policy = RetryPolicy().applying(
            Wire.RetryRules(firstDelay: 0, factor: 1, maximumDelay: 0)
        )
        #expect(policy.firstDelay == RetryPolicy.leastDelay)
        #expect(policy.maximumDelay == RetryPolicy.leastDelay)
    }

    @Test func `a server says when to come back`() {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        bench.fail(task, .serverUnavailable, retryAfter: 120)
        #expect(bench.stored(task)?.notBefore == bench.now + 120)
        bench.wait(119)
        #expect(bench.loading.isEmpty)
        bench.wait(1)
        #expect(bench.loading == [task])
    }

    @Test func `a full disk is looked at again after a while`() {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        bench.fail(task, .diskFull)
        #expect(bench.stored(task)?.notBefore == bench.now + 30)
    }

    @Test func `a task that backs off gives its place away`() {
        var bench = MachineBench(.limits(total: 1, host: 1))
        let client = bench.open()
        let first = bench.start(client, 1)
        let second = bench.start(client, 2)
        bench.fail(first)
        #expect(bench.loading == [second])
        bench.wait(30)
        #expect(bench.loading == [second])
        bench.finish(second)
        #expect(bench.loading == [first])
    }

    @Test func `a place is given away when the failure is in the store`() {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        bench.input { $0.failed(task: task, .sample(.connectionLost)) }
        #expect(bench.machine.running[task]?.phase == .backingOff)
        bench.settle()
        #expect(bench.machine.running[task] == nil)
    }

    @Test func `a task that is cancelled while its failure is stored ends once`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client)
        bench.input { $0.failed(task: task, .sample(.connectionLost)) }
        bench.cancel(client)
        #expect(bench.stored(task)?.state == .completed)
        #expect(bench.machine.running.isEmpty && bench.machine.running.budget.free == 4)
        bench.wait(60)
        #expect(bench.loading.isEmpty)
    }

    @Test func `the next retry of several is waited for`() {
        var bench = MachineBench()
        let client = bench.open()
        let one = bench.start(client, 1)
        let two = bench.start(client, 2, host: "b")
        bench.fail(one, .serverUnavailable, retryAfter: 100)
        bench.fail(two, .serverUnavailable, retryAfter: 50)
        #expect(bench.timers[.retry] == bench.now + 50)
        bench.wait(50)
        #expect(bench.loading == [two])
        #expect(bench.timers[.retry] == bench.now + 50)
        bench.wait(50)
        #expect(bench.loading == [one, two])
    }

    @Test func `a back-off outlives the daemon`() {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        bench.fail(task, .serverUnavailable, retryAfter: 100)
        var next = MachineBench(on: bench.database)
        #expect(next.loading.isEmpty)
        next.wait(100)
        #expect(next.loading == [task])
        #expect(next.machine.running[task]?.attempts == 1)
    }

    @Test func `USE-5: the log says what a task is, and how it ended`() {
        var bench = MachineBench()
        let client = bench.open()
        let tasks = (1...3).map { bench.start(client, $0) }
        bench.fail(tasks[0], .badURL)
        bench.cancel(client, 2)
        bench.finish(tasks[2], byteCount: 12)
        let lines = tasks.map { task in
            bench.effects.compactMap { effect in
                if case .log(_, let text, task) = effect { text } else { nil }
            }
        }
        let names = (1...3).map { "GET http://a/\($0) of app, session session" }
        #expect(
            lines == [
                [names[0], "failed: badURL"], [names[1], "cancelled"],
                [names[2], "finished, 12 bytes"],
            ]
        )
    }

    @Test func `nothing secret reaches the log`() {
        var bench = MachineBench()
        let client = bench.open()
        var create = Wire.CreateDownload.sample(client.session)
        create.request.url = "http://a/1?token=secret"
        create.request.fields = [Wire.Field(name: "Authorization", value: "secret")]
        let request = create
        bench.settledCall(client) { $0.createDownload(request, from: $1) }
        bench.resume(client)
        bench.fail(1)
        bench.wait(9)
        bench.finish(1)
        #expect(!bench.log.isEmpty)
        #expect(!bench.log.joined().contains("secret"))
    }
}
