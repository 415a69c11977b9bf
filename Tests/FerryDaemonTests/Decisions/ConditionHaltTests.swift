import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

/// Tasks that depend on others, on their applications, or on what a server has.
@Suite(.timeLimit(.minutes(1))) struct ConditionHaltTests {
    @Test func `equal downloads are halted together, and one of them loads for both later`() {
        var bench = MachineBench()
        let client = bench.open(configuration: .avoiding(.battery))
        for identifier in [1, 2] {
            var create = Wire.CreateDownload.sample(client.session, identifier)
            create.request = .sample()
            create.resumed = true
            bench.settledCall(client) { $0.createDownload(create, from: $1) }
        }
        #expect(bench.loading.count == 1)
        #expect(bench.machine.running.count == 2)
        bench.set(.battery)
        #expect(bench.machine.running.isEmpty)
        #expect(bench.machine.followings.isEmpty)
        bench.set([])
        #expect(bench.loading.count == 1)
        #expect(bench.machine.running.count == 2)
    }

    @Test func `a download that a person lets run does not wait for an equal one that is halted`() {
        var bench = MachineBench()
        let client = bench.open(configuration: .avoiding(.battery))
        for identifier in [1, 2] {
            var create = Wire.CreateDownload.sample(client.session, identifier)
            create.request = .sample()
            create.resumed = true
            bench.settledCall(client) { $0.createDownload(create, from: $1) }
        }
        let follower = bench.machine.running.values.first { $0.phase == .following }?.record.id ?? 0
        bench.override(follower)
        bench.set(.battery)
        #expect(bench.loading == [follower])
    }

    @Test func `BG-21: an application is not asked whether a task may begin that must not run`() {
        var bench = MachineBench()
        let client = bench.open(configuration: .avoiding(.battery))
        let stream = bench.subscribe(client)
        let now = bench.now
        var create = Wire.CreateDownload.sample(client.session)
        create.resumed = true
        create.earliestBegin = Wire.EarliestBegin(date: now + 10, asks: true)
        bench.settledCall(client) { $0.createDownload(create, from: $1) }
        bench.wait(11)
        #expect(bench.events[stream]?.last?.kind == .delayed)
        let question = bench.events[stream]?.last?.question ?? 0
        bench.set(.battery)
        #expect(bench.machine.running.isEmpty)
        let begin = Wire.Begin(session: client.session, identifier: 1, question: question)
        bench.now = now + 11
        #expect(bench.settledCall(client) { $0.begin(begin, from: $1) } == .done)
        #expect(bench.loading == [])
        bench.set([])
        #expect(bench.events[stream]?.count { $0.kind == .delayed } == 2)
    }

    @Test func `BG-36: a transfer that waits for a password is halted, and asks again later`() {
        var bench = MachineBench()
        var configuration = Wire.SessionConfiguration.avoiding(.battery)
        configuration.answersPasswords = true
        let client = bench.open(configuration: configuration)
        let task = bench.start(client)
        bench.challenge(task)
        #expect(bench.machine.sessions[client.sessionID]?.questionCount == 1)
        bench.set(.battery)
        #expect(bench.loading == [])
        #expect(bench.machine.sessions[client.sessionID]?.questionCount == 0)
        bench.set([])
        #expect(bench.loading == [task])
        bench.challenge(task)
        #expect(bench.machine.sessions[client.sessionID]?.questionCount == 1)
    }

    @Test
    func `an upload that its server has completely waits for its answer, not for a condition`() {
        var bench = MachineBench()
        let client = bench.open(configuration: .avoiding(.battery))
        bench.startUpload(client, 1)
        let task = bench.loading.first ?? 0
        bench.input { $0.sent(task: task, byteCount: 499) }
        bench.set(.battery)
        #expect(bench.loading == [])
        bench.set([])
        bench.input { $0.sent(task: task, byteCount: 500) }
        bench.set(.battery)
        #expect(bench.loading == [task])
    }

    @Test(arguments: [true, false])
    func `an upload that goes on with a password is sent again, and so waits`(isKept: Bool) {
        var bench = MachineBench()
        var configuration = Wire.SessionConfiguration.avoiding(.battery)
        configuration.answersPasswords = true
        let client = bench.open(configuration: configuration)
        _ = bench.subscribe(client)
        if isKept {
            let task = bench.start(client, 1)
            bench.challenge(task)
            bench.answer(client, 1, isKept: true)
            bench.finish(task)
        }
        bench.startUpload(client, 2)
        let task = bench.loading.first ?? 0
        bench.input { $0.sent(task: task, byteCount: 500) }
        bench.challenge(task)
        if !isKept { bench.answer(client, 2) }
        bench.set(.battery)
        #expect(bench.loading == [])
        #expect(bench.wait(of: task)?.reason == .battery)
    }

    @Test
    func `an upload that its server does not take after all is halted before it is sent again`() {
        for isChallenged in [true, false] {
            var bench = MachineBench()
            let client = bench.open(configuration: .avoiding(.battery))
            bench.startUpload(client, 1)
            let task = bench.loading.first ?? 0
            bench.input { $0.sent(task: task, byteCount: 500) }
            bench.set(.battery)
            #expect(bench.loading == [task])
            if isChallenged {
                bench.challenge(task)
            } else {
                bench.input { $0.sent(task: task, byteCount: 10) }
            }
            #expect(bench.loading == [])
            bench.settle()
            bench.set([])
            #expect(bench.loading == [task])
        }
    }

    @Test func `a download whose file is complete ends`() {
        var bench = MachineBench()
        let task = bench.start(bench.open(configuration: .avoiding(.battery)))
        bench.input { $0.finished(task: task, byteCount: 10, path: "/1") }
        bench.input { $0.conditionsChanged(to: .battery) }
        bench.settle()
        #expect(bench.stored(task)?.state == .completed)
    }

    @Test
    func `a task that backs off goes on doing so, and then waits for the end of the condition`() {
        var bench = MachineBench()
        let task = bench.start(bench.open(configuration: .avoiding(.battery)))
        bench.fail(task)
        bench.set(.battery)
        #expect(bench.wait(of: task)?.reason == .backoff)
        bench.wait(3600)
        #expect(bench.loading == [])
        #expect(bench.wait(of: task)?.reason == .battery)
        #expect(bench.stored(task)?.attempts == 1)
        bench.set([])
        #expect(bench.loading == [task])
    }

    @Test func `a search that is answered after a change of the conditions starts nothing wrong`() {
        var bench = MachineBench()
        bench.conditions = .battery
        let task = bench.start(bench.open(configuration: .avoiding(.battery)))
        // The store is asked for what may run, and answers when that no longer may.
        bench.input { $0.conditionsChanged(to: []) }
        bench.conditions = .battery
        bench.input { $0.conditionsChanged(to: .battery) }
        bench.settle()
        #expect(bench.loading == [])
        bench.set([])
        #expect(bench.loading == [task])
    }
}

@Suite(.timeLimit(.minutes(1))) struct BackgroundTaskTests {
    /// An application that ferryd has started, with its session open.
    private func launched(_ bench: inout MachineBench) -> BenchClient {
        let client = bench.open(configuration: .limited(9))
        let task = bench.start(client)
        bench.disconnect(client)
        bench.finish(task)
        bench.wait(60)
        let application = bench.machine.applications.ids.sorted().first ?? 0
        bench.input { $0.launched(application, error: nil) }
        return bench.open(process: 2, configuration: .limited(9))
    }

    @Test func `BG-22: a task that an application makes in the background is discretionary`() {
        var bench = MachineBench()
        let client = launched(&bench)
        bench.conditions = .battery
        let task = bench.start(client, 2)
        #expect(bench.stored(task)?.avoids == .discretionary)
        #expect(bench.loading == [])
        bench.avoid([], client, 2)
        #expect(bench.stored(task)?.avoids == .discretionary)
        bench.set([])
        #expect(bench.loading == [task])
    }

    @Test func `BG-22: unless its user wants otherwise`() throws {
        var bench = MachineBench()
        let rule = try TimetableRule("background urgent")
        bench.input { $0.timetableChanged(to: Timetable(rules: [rule])) }
        let client = launched(&bench)
        bench.conditions = .battery
        let task = bench.start(client, 2)
        #expect(bench.stored(task)?.avoids == [])
        #expect(bench.loading == [task])
    }
}
