import FerryHTTP
import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FerryWireTestSupport
import FoundationEssentials
import Testing

@testable import FerryDaemon

@Suite(.timeLimit(.minutes(5))) struct StoredTests {
    @Test func `a request is kept whole, and equal requests are equal bytes`() {
        var request = Wire.Request.sample("https://a/1?b=c")
        request.fields = [Wire.Field(name: "X", value: "ä\u{0}\n")]
        request.body = Data([0, 255])
        let bytes = Encoded(request)
        #expect(bytes.value == request)
        #expect(Encoded(request) == bytes)
        #expect(Encoded<Wire.Request>(text: []).value == nil)
        #expect(Encoded<Wire.Request>(text: Array("{}".utf8)).value == nil)
    }

    /// Requests of which each has something that others have not.
    private static let requests: [Wire.Request] = {
        let changes: [(inout Wire.Request) -> Void] = [
            { _ in }, { $0.url = "https://b/2?c=d#e" }, { $0.method = "PUT" },
            { $0.fields = [Wire.Field(name: "X", value: "a"), Wire.Field(name: "X", value: "ä")] },
            { $0.body = Data([0, 255]) }, { $0.body = Data() }, { $0.idleTimeout = 0 },
            { $0.madeFor = "http://b/1" }, { $0.ignoresCookies = true },
            { $0.cookieSite = "http://b/" },
        ]
        return changes.map { change in
            var request = Wire.Request.sample()
            change(&request)
            return request
        }
    }()

    @Test(arguments: requests)
    func `a request stays whole where it is taken for a transfer, and told of`(
        request: Wire.Request
    ) {
        #expect(Wire.Request(TransferRequest(request)) == request)
    }

    @Test(arguments: [false, true]) func `a response is kept whole`(isDecoded: Bool) {
        var response = Wire.Response.sample(206)
        response.isDecoded = isDecoded
        #expect(Encoded(response).value == response)
    }

    @Test func `a configuration that cannot be read is Apple's default`() {
        let record = SessionRecord(
            id: 1,
            applicationID: 1,
            identifier: "a",
            configuration: [1, 2, 3]
        )
        let standard = DaemonStateMachine.Session(record).configuration
        #expect(standard.resourceTimeout == 604_800)
        #expect(standard.maximumConnectionsPerHost == 6)
        #expect(standard.sendsLaunchEvents)
        #expect(standard.additionalFields.isEmpty)
    }

    @Test func `an event is kept whole, whichever way it is read`() {
        var transaction = Wire.Transaction(started: moment(1))
        transaction.request = .sample("http://a/1")
        let metrics = Wire.TaskMetrics(
            started: moment(0),
            ended: moment(2),
            redirectCount: 0,
            transactions: [transaction]
        )
        var event = Wire.Event(kind: .completed, task: 1, metrics: Encoded(metrics))
        #expect(Encoded(event).value == event)
        // Such an event is read by a decoder.
        event.resumeData = Data([1])
        #expect(Encoded(event).value == event)
        // Such a one is written by an encoder.
        event.question = 1
        #expect(Encoded(event).value == event)
    }

    @Test func `what is known of bytes is kept whole`() {
        let checkpoint = Checkpoint(
            generation: .max,
            version: ResourceVersion(
                validator: .lastModified("Tue, 01 Jan 2030 00:00:00 GMT"),
                totalByteCount: 1 << 40,
                url: "http://a/1"
            ),
            synchronizedByteCount: 5,
            writtenByteCount: 6,
            bootIdentifier: BootIdentifier(rawValue: "boot"),
            fruitlessResumptionCount: 3
        )
        for state in [
            ByteState(), ByteState(checkpoint: checkpoint),
            ByteState(checkpoint: checkpoint, isFromResumeData: true),
            ByteState(failure: .sample(.resumeDataInvalid)),
        ] {
            #expect(Encoded(state).value == state)
        }
    }

    @Test(arguments: [[], [1, 2, 3], Array("[]".utf8), Array("{".utf8)] as [[UInt8]])
    func `what cannot be read is not known`(_ text: [UInt8]) {
        #expect(Encoded<ByteState>(text: text).value == nil)
        #expect(Encoded<AttemptFailure>(text: text).value == nil)
    }

    @Test(arguments: [
        (StoreError.Code.notFound, TransferInterfaceError.taskNotFound(id: 7)),
        (.conflict, .invalidRequest(parameter: "identifier", reason: "the model says conflict")),
        (.diskFull, .storeUnavailable(reason: "the model says diskFull")),
        (.closed, .storeUnavailable(reason: "the model says closed")),
    ])
    func `a client is told what the store says`(
        _ code: StoreError.Code,
        _ error: TransferInterfaceError
    ) {
        #expect(TransferInterfaceError(.model(code), task: .id(7)) == error)
    }

    @Test(arguments: [
        (0.0, "0.0 s"), (0.04, "0.0 s"), (0.96, "1.0 s"), (12.34, "12.3 s"), (300, "300.0 s"),
    ])
    func `a duration reads well`(_ seconds: Double, _ text: String) {
        #expect(Duration.seconds(seconds).formattedInSeconds == text)
        #expect(abs(Duration.seconds(seconds).inSeconds - seconds) < 1e-9)
    }

    @Test(arguments: [Int.min, -1, Int.max])
    func `a count of failures that makes no sense is counted on from what does`(count: Int) {
        let text = #"{"code":"serverUnavailable","message":"m","unavailableCount":\#(count)}"#
        let stored = Encoded<AttemptFailure>(text: Array(text.utf8)).value
        #expect(stored?.unavailableCount == count)
        let next = AttemptFailure(
            TransferError(code: .serverUnavailable, message: "m"),
            after: stored
        )
        #expect(next.unavailableCount == max(1, count))
    }

    @Test(arguments: [
        #"{"retry":{"firstDelay":1e300}}"#, #"{"retry":{"maximumAttempts":\#(Int.min)}}"#,
        #"{"receiveRate":0}"#,
    ])
    func `options and rates that make no sense count as none`(text: String) {
        var task = TaskRecord(
            id: 1,
            sessionID: 1,
            identifier: 1,
            host: "a",
            request: [],
            createdAt: moment(0)
        )
        task.options = Encoded(text: Array(text.utf8))
        #expect(task.validOptions == nil)
    }

    @Test(arguments: [#"{"receive":0,"send":5}"#, #"{"send":-1}"#, "{", ""])
    func `rates that make no sense limit nothing`(text: String) {
        #expect(SharedRates(Encoded(text: Array(text.utf8))) == SharedRates())
        let valid = Encoded<SharedRates>(text: Array(#"{"send":5}"#.utf8))
        #expect(SharedRates(valid) == SharedRates(send: 5))
    }
}
