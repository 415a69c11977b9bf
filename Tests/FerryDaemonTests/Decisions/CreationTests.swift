import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct CreationTests {
    @Test func `a task is acknowledged once it is in the store`() throws {
        var bench = MachineBench()
        let client = bench.open()
        let create = Wire.CreateDownload.sample(client.session)
        bench.now = moment(7)
        let call = bench.call(client) { $0.createDownload(create, from: $1) }
        #expect(bench.outcomes[call] == nil)
        bench.settle()
        #expect(bench.outcomes[call] == .answer(.created(task: 1)))
        let task = try #require(bench.database.synchronized.tasks[1]?.record)
        #expect(task.state == .suspended)
        #expect(task.host == "a:80")
        #expect(task.createdAt == moment(7))
        #expect(task.request.value == create.request)
        #expect(bench.loading.isEmpty)
    }

    @Test func `a task may run as soon as it is in the store, and its time begins`() {
        var bench = MachineBench()
        let client = bench.open(configuration: .timed(100))
        var create = Wire.CreateDownload.sample(client.session)
        create.resumed = true
        let call = bench.call(client) { [create] in
            $0.createDownload(create, from: $1)
        }
        #expect(bench.loading.isEmpty)
        bench.settle()
        #expect(bench.outcomes[call] == .answer(.created(task: 1)))
        #expect(bench.loading == [1])
        #expect(bench.stored(1)?.startedAt == bench.now)
        #expect(bench.stored(1)?.deadline == bench.now + 100)
        bench.wait(101)
        #expect(bench.stored(1)?.state == .completed)
    }

    @Test func `the same call once more lets no task run that was suspended since`() {
        var bench = MachineBench()
        let client = bench.open()
        var create = Wire.CreateDownload.sample(client.session)
        create.resumed = true
        for _ in 1...2 {
            let outcome = bench.settledCall(client) { [create] in
                $0.createDownload(create, from: $1)
            }
            #expect(outcome == .answer(.created(task: 1)))
            bench.suspend(client)
            #expect(bench.stored(1)?.state == .suspended)
        }
        _ = bench.settledCall(client) { [create] in
            $0.createDownload(create, from: $1)
        }
        #expect(bench.stored(1)?.state == .suspended)
        #expect(bench.loading.isEmpty)
    }

    @Test(arguments: ["ftp://a/1", "http:///1", "a/1", "", "file:///etc/passwd"])
    func `BG-6: only http and https are loaded`(_ url: String) {
        var bench = MachineBench()
        let client = bench.open()
        var create = Wire.CreateDownload.sample(client.session)
        create.request.url = url
        let outcome = bench.settledCall(client) { [create] machine, caller in
            machine.createDownload(create, from: caller)
        }
        guard case .refusal(.invalidRequest("request.url", _)) = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
        #expect(bench.database.current.tasks.isEmpty)
    }

    @Test func `the same call once more finds the task of the first`() {
        var bench = MachineBench()
        let client = bench.open()
        #expect(bench.create(client) == 1)
        #expect(bench.create(client) == 1)
        #expect(bench.create(client, 2) == 3)
        #expect(bench.database.current.tasks.keys.sorted() == [1, 3])
    }

    @Test(arguments: [0, -1, Int.min])
    func `a task's number is 1 or more`(_ identifier: Int) {
        var bench = MachineBench()
        let client = bench.open()
        let create = Wire.CreateDownload.sample(client.session, identifier)
        let outcome = bench.settledCall(client) {
            $0.createDownload(create, from: $1)
        }
        guard case .refusal(.invalidRequest("identifier", _)) = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
    }

    @Test func `the same call once more makes no second task when the first is gone`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.create(client)
        bench.cancel(client)
        bench.acknowledge(client, 1)
        #expect(bench.stored(task) == nil)
        var create = Wire.CreateDownload.sample(client.session)
        create.resumeData = Data([1])
        let again = bench.settledCall(client) { [create] machine, caller in
            machine.createDownload(create, from: caller)
        }
        #expect(again == .answer(.created(task: 0)))
        #expect(bench.database.current.tasks.isEmpty)
        #expect(bench.adoptions.isEmpty && bench.machine.creations.isEmpty)
        #expect(bench.create(client, 2) != 0)
    }

    @Test func `an identifier stands for one task`() {
        var bench = MachineBench()
        let client = bench.open()
        bench.create(client)
        let other = Wire.CreateDownload.sample(client.session, 1, "b")
        let outcome = bench.settledCall(client) {
            $0.createDownload(other, from: $1)
        }
        guard case .refusal(.invalidRequest("identifier", _)) = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
    }

    @Test(arguments: zip([-1, 0.25, 7], [0, 0.25, 1]))
    func `a priority is between 0 and 1`(_ given: Double, _ kept: Double) {
        var bench = MachineBench()
        let task = bench.create(bench.open(), priority: given)
        #expect(bench.stored(task)?.priority == kept)
    }

    @Test func `BG-27: a session's next identifier is above all that it has had`() {
        var bench = MachineBench()
        let client = bench.open()
        bench.create(client, 7)
        let call = bench.call(client) { $0.openSession(.sample(), from: $1) }
        bench.settle()
        #expect(bench.outcomes[call] == .answer(.opened(session: 1, nextTaskIdentifier: 8)))
    }
}
