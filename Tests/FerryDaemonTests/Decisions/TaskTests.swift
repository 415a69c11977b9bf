import FerryHTTP
import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct TaskTests {
    @Test func `a task runs when it is resumed`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.create(client)
        #expect(bench.loading.isEmpty)
        #expect(bench.resume(client) == .done)
        #expect(bench.loading == [task])
        #expect(bench.stored(task)?.startedAt == bench.now)
    }

    @Test func `a task is resumed for good before that is said`() {
        var bench = MachineBench()
        let client = bench.open()
        bench.create(client)
        let resume = Wire.Resume(session: client.session, identifier: 1)
        let call = bench.call(client) { $0.resume(resume, from: $1) }
        #expect(bench.outcomes[call] == nil)
        bench.step()
        #expect(bench.outcomes[call] == .done)
        #expect(bench.database.synchronized.tasks[1]?.record.state == .waiting)
    }

    @Test func `a transfer gets the fields of its session`() {
        var bench = MachineBench()
        var configuration = Wire.SessionConfiguration.sample
        configuration.additionalFields = [Wire.Field(name: "Accept", value: "text/html")]
        let task = bench.start(bench.open(configuration: configuration))
        #expect(bench.transfers[task]?.additionalFields == configuration.additionalFields)
    }

    @Test func `DL-16: a task that is suspended loads nothing, and goes on where it was`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client)
        bench.progress(task, 40)
        #expect(bench.suspend(client) == .done)
        #expect(bench.loading.isEmpty)
        #expect(bench.stored(task)?.receivedByteCount == 40)
        #expect(bench.effects.contains(.stop(task: task)))
        #expect(!bench.effects.contains(.discardFile(task: task)))
        bench.resume(client)
        #expect(bench.transfers[task]?.task.receivedByteCount == 40)
    }

    @Test func `a task that is suspended while the store is searched does not run`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.create(client)
        let resume = Wire.Resume(session: client.session, identifier: 1)
        _ = bench.call(client) { $0.resume(resume, from: $1) }
        bench.step()
        // The store has found the task; before that is known, it is suspended.
        let found = bench.stepHoldingBack()
        bench.suspend(client)
        for outcome in found { bench.take(outcome) }
        bench.settle()
        #expect(bench.stored(task)?.state == .suspended)
        #expect(bench.loading.isEmpty)
        #expect(bench.startedTasks.isEmpty)
    }

    @Test func `a task that is resumed while the store is searched runs`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.create(client)
        bench.start(client, 2)
        bench.finish(2)
        // The search that follows has passed over the task when it is resumed.
        let resume = Wire.Resume(session: client.session, identifier: 1)
        bench.input { $0.timerFired(.retry) }
        let found = bench.stepHoldingBack()
        _ = bench.call(client) { $0.resume(resume, from: $1) }
        bench.step()
        for outcome in found { bench.take(outcome) }
        bench.settle()
        #expect(bench.loading == [task])
    }

    // MARK: Persons

    @Test func `a person pauses a task and lets it go on`() {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        #expect(bench.person { $0.pauseTask(task, from: $1) } == .done)
        #expect(bench.loading.isEmpty)
        #expect(bench.stored(task)?.state == .held)
        #expect(bench.person { $0.resumeTask(task, from: $1) } == .done)
        #expect(bench.loading == [task])
    }

    @Test func `an application cannot resume what a person has paused`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.create(client)
        bench.person { $0.pauseTask(task, from: $1) }
        #expect(bench.resume(client) == .done)
        #expect(bench.loading.isEmpty)
        #expect(bench.stored(task)?.state == .held)
        bench.person { $0.resumeTask(task, from: $1) }
        #expect(bench.loading == [task])
    }

    @Test func `a person cannot resume what its application has suspended`() {
        var bench = MachineBench()
        let task = bench.create(bench.open())
        bench.person { $0.pauseTask(task, from: $1) }
        bench.person { $0.resumeTask(task, from: $1) }
        #expect(bench.stored(task)?.state == .suspended)
        #expect(bench.loading.isEmpty)
    }

    @Test func `a person lets a task that backs off try again at once`() {
        var bench = MachineBench()
        let task = bench.start(bench.open())
        bench.fail(task)
        #expect(bench.loading.isEmpty)
        bench.person { $0.resumeTask(task, from: $1) }
        #expect(bench.loading == [task])
    }

    @Test func `a task that does not exist cannot be paused`() {
        var bench = MachineBench()
        #expect(
            bench.person { $0.pauseTask(7, from: $1) }
                == .refusal(.taskNotFound(id: 7))
        )
    }

    // MARK: What is noted on a task

    @Test func `a priority holds at once for a task that runs`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client)
        let priority = Wire.SetPriority(session: client.session, identifier: 1, priority: 0.75)
        bench.settledCall(client) { $0.setPriority(priority, from: $1) }
        #expect(bench.effects.contains(.prioritize(task: task, 0.75)))
    }

    @Test func `what is changed while the store is searched holds from the beginning`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.create(client)
        let resume = Wire.Resume(session: client.session, identifier: 1)
        _ = bench.call(client) { $0.resume(resume, from: $1) }
        bench.step()
        let found = bench.stepHoldingBack()
        let options = Wire.TransferOptions(receiveRate: 1000)
        let set = Wire.SetOptions(session: client.session, identifier: 1, options: options)
        _ = bench.call(client) { $0.setOptions(set, from: $1) }
        for outcome in found { bench.take(outcome) }
        bench.settle()
        #expect(bench.transfers[task]?.task.validOptions == options)
    }

    @Test func `what is changed about one task does not keep others waiting`() {
        var bench = MachineBench()
        let client = bench.open()
        _ = bench.create(client)
        let other = bench.create(client, 2)
        let resume = Wire.Resume(session: client.session, identifier: 2)
        _ = bench.call(client) { $0.resume(resume, from: $1) }
        bench.step()
        let found = bench.stepHoldingBack()
        let set = Wire.SetPriority(session: client.session, identifier: 1, priority: 0.75)
        _ = bench.call(client) { $0.setPriority(set, from: $1) }
        for outcome in found { bench.take(outcome) }
        #expect(bench.loading == [other])
    }

    @Test func `a description and a priority are kept`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.create(client)
        let description = Wire.SetDescription(
            session: client.session,
            identifier: 1,
            description: "mine"
        )
        let priority = Wire.SetPriority(session: client.session, identifier: 1, priority: 3)
        #expect(bench.settledCall(client) { $0.setDescription(description, from: $1) } == .done)
        #expect(bench.settledCall(client) { $0.setPriority(priority, from: $1) } == .done)
        #expect(bench.stored(task)?.description == "mine")
        #expect(bench.stored(task)?.priority == 1)
    }
}

/// Changes of a task that are made of what it was like.
@Suite(.timeLimit(.minutes(5))) struct RevisionTests {
    @Test func `a person's limits keep what the app has set while the store was asked`() {
        var bench = MachineBench()
        let client = bench.open()
        let task = bench.start(client)
        let rates = SharedRates(receive: 1000, send: nil)
        let person = bench.call(client) { $0.setRates(rates, ofTask: task, from: $1) }
        var options = Wire.TransferOptions()
        options.maximumConnections = 2
        let set = Wire.SetOptions(session: client.session, identifier: 1, options: options)
        let app = bench.call(client) { $0.setOptions(set, from: $1) }
        bench.settle()
        #expect(bench.outcomes[person] == .answer(.done))
        #expect(bench.outcomes[app] == .answer(.done))
        let stored = bench.stored(task)?.validOptions
        #expect(stored?.maximumConnections == 2)
        #expect(stored?.receiveRate == 1000)
        #expect(bench.machine.readings.isEmpty)
    }

    @Test func `the limits for all are those that were set last`() {
        var bench = MachineBench()
        let rates = SharedRates(receive: 1000, send: 2000)
        #expect(bench.person { $0.setRates(rates, from: $1) } == .done)
        #expect(bench.machine.rates == rates)
    }
}
