import FerryHTTP
import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

/// Downloads with bytes whose servers refuse the rest, or answer with something else.
@Suite(.timeLimit(.minutes(5))) struct ExpiredLinkTests {
    private var bench = MachineBench()

    /// A client has a download with bytes, which waits for another address if its own expires.
    private mutating func begin(
        holds: Bool = true,
        configuration: Wire.SessionConfiguration = .sample
    ) -> (BenchClient, TaskID) {
        let client = bench.open(configuration: configuration)
        var create = Wire.CreateDownload.sample(client.session, 1)
        create.options = holds ? Wire.TransferOptions(holdsExpiredLinks: true) : nil
        create.resumed = true
        let outcome = bench.settledCall(client) { [create] in
            $0.createDownload(create, from: $1)
        }
        guard case .answer(.created(let task)) = outcome else { return (client, 0) }
        bench.progress(task, 40)
        return (client, task)
    }

    private func wait(of task: TaskID) -> Wire.Wait? {
        bench.stored(task).flatMap { bench.machine.wait(of: $0, at: bench.now) }
    }

    @Test mutating func `KEEP-2: a download with bytes waits for another address`() {
        let (client, task) = begin()
        bench.fail(task, .linkExpired)
        #expect(bench.loading == [])
        #expect(wait(of: task)?.reason == .expiredLink)
        #expect(bench.stored(task)?.receivedByteCount == 40)
        #expect(
            bench.settledCall(client) { $0.relinkTask(task, to: "http://b/new", from: $1) }
                == .done
        )
        #expect(bench.loading == [task])
    }

    @Test mutating func `KEEP-2: the old address is asked again, at most once an hour`() throws {
        let (_, task) = begin()
        var pauses: [Double] = []
        for _ in 0..<16 {
            bench.fail(task, .linkExpired)
            let until = try #require(wait(of: task)?.until)
            pauses.append(until.timeIntervalSince(bench.now))
            bench.wait(until.timeIntervalSince(bench.now) + 1)
            #expect(bench.loading == [task])
        }
        #expect(pauses.first.map { $0 <= 1 } == true)
        #expect(pauses.last.map { 1800...3600 ~= $0 } == true)
    }

    @Test mutating func `KEEP-2: without that wish it fails with resume data`() {
        let (_, task) = begin(holds: false)
        bench.resumeData[task] = Data([1])
        bench.fail(task, .linkExpired)
        let record = bench.stored(task)
        #expect(record?.state == .completed)
        #expect(record?.lastError?.value?.code == "linkExpired")
    }

    @Test(arguments: [true, false])
    mutating func `KEEP-2: an application that is asked first may have no other address`(
        holds: Bool
    ) {
        var configuration = Wire.SessionConfiguration.sample
        configuration.replacesLinks = true
        let (client, task) = begin(holds: holds, configuration: configuration)
        bench.fail(task, .linkExpired)
        let question = bench.machine.running[task]?.question?.number
        let relink = Wire.Relink(session: client.session, identifier: 1, question: question)
        #expect(bench.settledCall(client) { $0.relink(relink, from: $1) } == .done)
        #expect(bench.transfers[task]?.asksForLink == false)
        // The answer to the next request is the same.
        bench.fail(task, .linkExpired)
        #expect(bench.machine.running[task]?.question == nil)
        #expect((bench.stored(task)?.state == .completed) != holds)
    }

    @Test mutating func `KEEP-1: an odd answer is asked for again after growing pauses`() throws {
        let (_, task) = begin(holds: false)
        var pauses: [Double] = []
        for _ in 0..<12 {
            bench.fail(task, .answerDoubted)
            let wait = try #require(self.wait(of: task))
            #expect(wait.reason == .backoff)
            #expect(wait.detail == "answerDoubted")
            let pause = try #require(wait.until).timeIntervalSince(bench.now)
            pauses.append(pause)
            bench.wait(pause + 1)
        }
        #expect(pauses.last.map { 150...300 ~= $0 } == true)
        #expect(bench.stored(task)?.receivedByteCount == 40)
    }

    @Test(arguments: [
        TransferError.Code.certificateUntrusted, .certificateBadDate, .tooManyRedirects,
        .redirectToNonHTTP, .badServerResponse,
    ])
    mutating func `KEEP-1: what a portal does to a connection passes, if there are bytes to lose`(
        code: TransferError.Code
    ) {
        let (_, task) = begin(holds: false)
        bench.fail(task, code, holdsBytes: true)
        #expect(wait(of: task)?.reason == .backoff)
        let client = bench.open("other")
        let empty = bench.start(client)
        bench.fail(empty, code)
        #expect(bench.stored(empty)?.state == .completed)
    }

    @Test(arguments: [
        "", "ftp://a/b", "/file", "http://", "http:///file", "http://a:99999/", "http://a:b/",
        "http://[::1/", "http://a b/", "http://a/b c", "http://a/\n", "http://a\u{0}/",
        "http://a<b>/", "file:///etc/passwd", "javascript:alert(1)",
    ])
    mutating func `REL-19: a malformed address is refused, and the task keeps its bytes`(
        url: String
    ) {
        let (client, task) = begin()
        let outcome = bench.settledCall(client) { $0.relinkTask(task, to: url, from: $1) }
        guard case .refusal(.invalidRequest(parameter: "request.url", _))? = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
        #expect(bench.loading == [task])
        #expect(bench.stored(task)?.link == nil)
        let relink = Wire.Relink(
            session: client.session,
            identifier: 1,
            request: .sample(url)
        )
        let other = bench.settledCall(client) { $0.relink(relink, from: $1) }
        guard case .refusal(.invalidRequest(parameter: "request.url", _))? = other else {
            Issue.record("\(String(describing: other))")
            return
        }
        #expect(bench.loading == [task])
    }

    @Test(arguments: [
        ("GE T", "X-A", "b"), ("", "X-A", "b"), ("GET", "X A", "b"), ("GET", "", "b"),
        ("GET", "X-A", "a\r\nX-B: c"), ("GET", "X-A", "a\u{0}"),
    ])
    mutating func `REL-19: so is a request that cannot be sent`(
        method: String,
        name: String,
        value: String
    ) {
        let (client, task) = begin()
        var request = Wire.Request.sample("http://b/new")
        request.method = method
        request.fields = [Wire.Field(name: name, value: value)]
        let relink = Wire.Relink(session: client.session, identifier: 1, request: request)
        let outcome = bench.settledCall(client) { $0.relink(relink, from: $1) }
        guard case .refusal(.invalidRequest)? = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
        #expect(bench.loading == [task])
        #expect(bench.stored(task)?.link == nil)
    }

    @Test(arguments: [TransferError.Code.badURL, .unsupportedURL])
    mutating func `REL-19: an address that cannot be requested after all costs no byte`(
        code: TransferError.Code
    ) {
        let (_, task) = begin()
        bench.fail(task, code, holdsBytes: true)
        #expect(wait(of: task)?.reason == .expiredLink)
        #expect(bench.stored(task)?.receivedByteCount == 40)
    }
}
