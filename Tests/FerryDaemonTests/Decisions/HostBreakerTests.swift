import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct HostBreakerTests {
    private static let host = HostBreaker.Line(application: 1, host: "a:80")

    private static func failing(_ count: Int) -> HostBreaker {
        var breaker = HostBreaker()
        for _ in 0..<count { breaker.failed(Self.host, delay: 10, isAsked: false, at: moment(0)) }
        return breaker
    }

    @Test func `a host is left alone after some failures in a row, and then asked once`() {
        let few = Self.failing(HostBreaker.threshold - 1)
        #expect(few.limit(Self.host, at: moment(0)) == nil)
        let many = Self.failing(HostBreaker.threshold)
        #expect(many.limit(Self.host, at: moment(9)) == 0)
        #expect(many.end(Self.host, at: moment(9)) == moment(10))
        #expect(many.limit(Self.host, at: moment(10)) == 1)
        #expect(many.limit(HostBreaker.Line(application: 1, host: "b:80"), at: moment(9)) == nil)
        #expect(many.earliestEnd(at: moment(0)) == moment(10))
        #expect(many.earliestEnd(at: moment(10)) == nil)
    }

    @Test func `an answer ends it`() {
        var breaker = Self.failing(9)
        breaker.answered(Self.host)
        #expect(breaker.limit(Self.host, at: moment(0)) == nil)
        #expect(breaker.failureCount(Self.host) == 0)
    }

    @Test func `a host that asks for it is left alone at once`() {
        var breaker = HostBreaker()
        breaker.failed(Self.host, delay: 60, isAsked: true, at: moment(0))
        #expect(breaker.limit(Self.host, at: moment(59)) == 0)
    }

    @Test func `a person has every host tried`() {
        var breaker = Self.failing(9)
        breaker.tryAll()
        #expect(breaker.limit(Self.host, at: moment(0)) == 1)
    }

    // MARK: In the daemon

    @Test func `of many tasks of a host that fails, one at a time is tried`() {
        var bench = MachineBench(.limits(total: 9, host: 9))
        let client = bench.open(configuration: .limited(9))
        let tasks = (1...9).map { bench.start(client, $0) }
        for task in tasks { bench.fail(task, .cannotConnectToHost) }
        #expect(bench.transfers.isEmpty)
        let wait = bench.wait(of: tasks[8])
        #expect(wait?.reason == .backoff)
        bench.wait(3600)
        #expect(bench.transfers.count == 1)
        let waiting = tasks.filter { bench.transfers[$0] == nil }
        #expect(bench.wait(of: waiting[0])?.reason == .hostFailure)
    }

    @Test func `REL-4: files that a server cannot serve keep back none that it can`() {
        var bench = MachineBench(.limits(total: 9, host: 9))
        let client = bench.open(configuration: .limited(6))
        let bad = (1...12).map { bench.start(client, $0) }
        let good = bench.start(client, 13)
        for task in bad.prefix(9) { bench.fail(task, .serverUnavailable) }
        #expect(bench.loading.isEmpty)
        // They are tried by one at a time, each a second after the last one.
        var seconds = 0
        while bench.loading != [good], seconds < 200 {
            bench.wait(1)
            seconds += 1
            #expect(bench.loading.count == 1)
            for task in bench.loading where task != good { bench.fail(task, .serverUnavailable) }
        }
        #expect(seconds < 100, "it does not wait for the pauses of the others")
        let next = bench.start(client, 14)
        #expect(bench.loading == [good])
        #expect(bench.wait(of: next)?.reason == .hostFailure, "\(bench.machine.breaker)")
        bench.input { $0.progressed(task: good, received: 10, expected: 20) }
        bench.wait(3600)
        #expect(bench.transfers.count == 6)
    }

    @Test func `REL-4: a server that is not available uses up no attempts of a long queue`() {
        var bench = MachineBench(.limits(total: 9, host: 9))
        let client = bench.open(configuration: .limited(6))
        for number in 1...100 { bench.start(client, number) }
        var count = 0
        let start = bench.now
        while bench.now < start + 600 {
            for task in bench.loading {
                count += 1
                bench.fail(task, .serverUnavailable)
            }
            bench.wait(0.25)
        }
        #expect((300...700).contains(count), "about one a second")
    }

    @Test func `REL-4: what a server has asked for holds for transfers that were under way`() {
        var breaker = HostBreaker()
        let host = HostBreaker.Line(application: 1, host: "a")
        breaker.failed(host, delay: 600, isAsked: true, at: moment(0))
        breaker.failed(host, delay: 1, isAsked: false, at: moment(1))
        #expect(breaker.end(host, at: moment(2)) == moment(600))
        #expect(breaker.cause(host) == .isAsked)
        breaker.failed(host, delay: 1, isAsked: false, at: moment(700))
        #expect(breaker.end(host, at: moment(700)) == moment(701))
        #expect(breaker.cause(host) == .failures(6))
    }

    @Test func `bytes of one transfer let the others go`() {
        var bench = MachineBench(.limits(total: 9, host: 9))
        let client = bench.open(configuration: .limited(9))
        let tasks = (1...6).map { bench.start(client, $0) }
        for task in tasks.dropLast() { bench.fail(task, .cannotConnectToHost) }
        let late = bench.start(client, 7)
        #expect(bench.loading == [tasks[5]])
        bench.input { $0.progressed(task: tasks[5], received: 10, expected: 20) }
        bench.settle()
        #expect(bench.transfers[late] != nil)
    }

    @Test func `a host is tried when a further connection comes back that was in the way`() throws {
        var bench = MachineBench(.limits(total: 9, host: 9))
        let client = bench.open(configuration: .limited(9))
        let tasks = (1...5).map { bench.start(client, $0) }
        for task in tasks { bench.fail(task, .cannotConnectToHost) }
        let host = try #require(bench.stored(tasks[0])?.host)
        // Another task has it for a mirror.
        let isLent = bench.machine.lendConnection(
            task: 9,
            session: client.sessionID,
            host: host
        )
        #expect(isLent)
        bench.wait(3600)
        #expect(bench.transfers.isEmpty)
        let isAwaited = bench.machine.takeBackConnection(
            task: 9,
            session: client.sessionID,
            host: host
        )
        #expect(isAwaited)
        bench.input { $0.searchForTasks() }
        bench.settle()
        #expect(bench.transfers.count == 1)
    }

    @Test func `who lets a task go that is gone lets those of every host go`() {
        var bench = MachineBench(.limits(total: 9, host: 9))
        let client = bench.open(configuration: .limited(9))
        let tasks = (1...5).map { bench.start(client, $0) }
        for task in tasks { bench.fail(task, .cannotConnectToHost) }
        let late = bench.start(client, 6)
        #expect(bench.transfers.isEmpty)
        _ = bench.call(client) { $0.resumeTask(99, from: $1) }
        bench.settle()
        #expect(bench.transfers[late] != nil)
    }

    // MARK: Who is to blame

    private static func failure(_ code: TransferError.Code, at url: String) -> TransferError {
        TransferError(code: code, message: "failed", failingURL: url)
    }

    @Test func `REL-4: a host is not left alone because it redirects to one that fails`() {
        var bench = MachineBench(.limits(total: 9, host: 9))
        let client = bench.open(configuration: .limited(9))
        let tasks = (1...5).map { bench.start(client, $0, host: "good") }
        for task in tasks {
            let failure = Self.failure(.cannotConnectToHost, at: "http://dead/x")
            bench.input { $0.failed(task: task, failure) }
            bench.settle()
        }
        let next = bench.start(client, 6, host: "good")
        #expect(bench.loading == [next])
        let dead = bench.start(client, 7, host: "dead")
        #expect(bench.loading == [next])
        #expect(bench.wait(of: dead)?.detail == "dead:80 has failed 5 times in a row")
    }

    @Test func `REL-4: a host that leads to one that fails has answered`() {
        var bench = MachineBench(.limits(total: 9, host: 9))
        let client = bench.open(configuration: .limited(9))
        let led = bench.start(client, 9, host: "good")
        for task in (1...4).map({ bench.start(client, $0, host: "good") }) {
            bench.fail(task, .cannotConnectToHost)
        }
        let next = bench.start(client, 5, host: "good")
        #expect(bench.loading == [led])
        let failure = Self.failure(.cannotConnectToHost, at: "http://dead/x")
        bench.input { $0.failed(task: led, failure) }
        bench.settle()
        #expect(bench.loading == [next])
    }

    @Test func `REL-4: one application that is to come back later keeps no other from the host`() {
        var bench = MachineBench(.limits(total: 9, host: 9))
        let client = bench.open(application: "asked", configuration: .limited(9))
        bench.fail(bench.start(client, 1), .serverUnavailable, retryAfter: 300)
        let other = bench.open(application: "other", process: 2, configuration: .limited(9))
        let good = bench.start(other, 1)
        #expect(bench.loading == [good])
        let own = bench.start(client, 2)
        #expect(bench.loading == [good])
        let wait = bench.wait(of: own)
        #expect(wait?.reason == .hostFailure)
        #expect(wait?.detail == "a:80 has asked this application to come back later")
    }

    @Test func `REL-4: what fails for one application need not fail for another`() {
        var bench = MachineBench(.limits(total: 9, host: 9))
        let client = bench.open(application: "hasty", configuration: .limited(9))
        for task in (1...5).map({ bench.start(client, $0) }) { bench.fail(task, .timedOut) }
        let other = bench.open(application: "other", process: 2)
        let good = bench.start(other, 1)
        #expect(bench.loading == [good])
    }

    private static func configuration(proxy: String?) -> Wire.SessionConfiguration {
        var configuration = Wire.SessionConfiguration.limited(9)
        configuration.connections = Wire.Connections(httpProxy: proxy)
        return configuration
    }

    @Test func `REL-4: what fails by a proxy fails for those who go by it`() {
        var bench = MachineBench(.limits(total: 20, host: 20))
        let proxied = Self.configuration(proxy: "http://proxy:3128")
        let first = bench.open("first", configuration: proxied)
        for task in (1...5).map({ bench.start(first, $0) }) {
            bench.fail(task, .cannotConnectToHost)
        }
        let second = bench.open("second", configuration: proxied)
        let waiting = bench.start(second)
        #expect(bench.loading.isEmpty)
        #expect(bench.wait(of: waiting)?.reason == .hostFailure)
        let other = bench.open(
            "other",
            configuration: Self.configuration(proxy: "http://other:3128")
        )
        let plain = bench.open("plain", configuration: Self.configuration(proxy: nil))
        let good = [bench.start(other), bench.start(plain)]
        #expect(bench.loading == good)
        // Those that go on are in nobody's way who asks the host again.
        bench.wait(3600)
        #expect(bench.loading.count == 3)
    }

    @Test func `REL-4: what fails directly need not fail by a proxy`() {
        var bench = MachineBench(.limits(total: 20, host: 20))
        let plain = bench.open("plain", configuration: .limited(9))
        for task in (1...5).map({ bench.start(plain, $0) }) { bench.fail(task, .timedOut) }
        let proxied = Self.configuration(proxy: "http://proxy:3128")
        let good = bench.start(bench.open("proxied", configuration: proxied))
        #expect(bench.loading == [good])
    }

    @Test
    func `REL-4: a server that asks to be left alone is, also by who has an authority of its own`()
    {
        var bench = MachineBench(.limits(total: 9, host: 9))
        var configuration = Wire.SessionConfiguration.limited(9)
        configuration.connections = Wire.Connections(authorityFile: "/etc/own.pem")
        let client = bench.open(configuration: configuration)
        bench.fail(bench.start(client, 1), .serverUnavailable, retryAfter: 300)
        let next = bench.start(client, 2)
        #expect(bench.loading.isEmpty)
        #expect(
            bench.wait(of: next)?.detail == "a:80 has asked this application to come back later"
        )
    }

    @Test func `REL-4: an attempt fails by the proxy that it began with`() {
        var bench = MachineBench(.limits(total: 9, host: 9))
        let old = Self.configuration(proxy: "http://old:3128")
        let tasks = (1...5).map { bench.start(bench.open(configuration: old), $0) }
        let client = bench.open(configuration: Self.configuration(proxy: "http://new:3128"))
        for task in tasks { bench.fail(task, .cannotConnectToHost) }
        let next = bench.start(client, 6)
        #expect(bench.loading == [next])
    }

    @Test func `REL-4: an answer from where a host has led ends both their failures`() {
        var bench = MachineBench(.limits(total: 9, host: 9))
        let client = bench.open(configuration: .limited(9))
        let led = bench.start(client, 9, host: "good")
        for host in ["good", "far"] {
            for task in (1...4).map({
                bench.start(client, $0 + (host == "far" ? 4 : 0), host: host)
            }) {
                bench.fail(task, .cannotConnectToHost)
            }
        }
        bench.input {
            $0.responded(task: led, response: .sample(), request: .sample("http://far/x"))
        }
        #expect(bench.machine.breaker.isEmpty)
    }
}
