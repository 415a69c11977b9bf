import FerryHTTP
import FerryStore
import FerryTransfer
import FerryWire
import Testing

@testable import FerryDaemon

/// Addresses that expire, and what an application gives in their place.
@Suite(.timeLimit(.minutes(5))) struct LinkTests {
    private var bench = MachineBench()

    private static var replacing: Wire.SessionConfiguration {
        var configuration = Wire.SessionConfiguration.sample
        configuration.replacesLinks = true
        return configuration
    }

    /// An application replaces the address that it was asked about, or does not.
    private mutating func replace(
        _ client: BenchClient,
        _ identifier: Int = 1,
        by url: String?,
        question: Int?
    ) -> MachineBench.Outcome? {
        let relink = Wire.Relink(
            session: client.session,
            identifier: identifier,
            question: question,
            request: url.map { Wire.Request.sample($0) }
        )
        return bench.settledCall(client) { $0.relink(relink, from: $1) }
    }

    @Test mutating func `a task that waits for another address gives its place back once`() {
        let client = bench.open(configuration: Self.replacing)
        let task = bench.start(client, 1)
        let other = bench.start(client, 2)
        #expect(bench.machine.running.budget.count == 2)
        bench.fail(task, .linkExpired)
        #expect(bench.loading == [other])
        #expect(bench.machine.running.budget.count == 1)
        let question = bench.machine.running[task]?.question?.number
        #expect(replace(client, by: "http://a/new", question: question) == .done)
        #expect(bench.loading == [task, other])
        #expect(bench.machine.running.budget.count == 2)
        bench.finish(task)
        bench.finish(other)
        #expect(bench.machine.running.budget.count == 0)
    }

    @Test mutating func `an application that has no other address is not asked again`() {
        let client = bench.open(configuration: Self.replacing)
        let task = bench.start(client)
        #expect(bench.transfers[task]?.asksForLink == true)
        bench.fail(task, .linkExpired)
        let question = bench.machine.running[task]?.question?.number
        #expect(replace(client, by: nil, question: question) == .done)
        #expect(bench.transfers[task]?.asksForLink == false)
    }

    @Test mutating func `addresses that bring nothing are not asked for without end`() {
        let client = bench.open(configuration: Self.replacing)
        let task = bench.start(client)
        for _ in 0..<LinkQuestions.maximumFruitlessCount {
            #expect(bench.transfers[task]?.asksForLink == true)
            bench.fail(task, .linkExpired)
            let question = bench.machine.running[task]?.question?.number
            #expect(replace(client, by: "http://a/new", question: question) == .done)
        }
        bench.fail(task, .linkExpired)
        #expect(bench.machine.running[task]?.question == nil)
        #expect(bench.transfers[task]?.asksForLink == false)
    }

    @Test(arguments: [(true, nil), (nil, "http://b/")] as [(Bool?, String?)])
    mutating func `a person who gives a task another address changes nothing else of its request`(
        ignoresCookies: Bool?,
        cookieSite: String?
    ) throws {
        let client = bench.open()
        var create = Wire.CreateDownload.sample(client.session)
        create.request.fields = [Wire.Field(name: "X-Key", value: "1")]
        create.request.ignoresCookies = ignoresCookies
        create.request.cookieSite = cookieSite
        bench.settledCall(client) { [create] in $0.createDownload(create, from: $1) }
        let task = try #require(bench.database.current.tasks.keys.first)
        #expect(bench.person { $0.relinkTask(task, to: "http://a/2", from: $1) } == .done)
        var expected = create.request
        expected.url = "http://a/2"
        #expect(bench.stored(task)?.replacement == expected)
    }

    @Test mutating func `the current request is the one that was given last, at whatever address`()
    {
        let client = bench.open()
        let task = bench.start(client)
        let original = bench.stored(task)?.request.value
        var request = Wire.Request.sample(original?.url ?? "")
        request.fields = [Wire.Field(name: "X-Key", value: "new")]
        let relink = Wire.Relink(session: client.session, identifier: 1, request: request)
        #expect(bench.settledCall(client) { $0.relink(relink, from: $1) } == .done)
        bench.input {
            $0.responded(task: task, response: .sample(), request: request)
        }
        #expect(bench.machine.running[task]?.currentRequest == request)
    }
}
