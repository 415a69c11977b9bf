import FerryHTTP
import FerryStore
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

/// No application has more of the daemon's memory and disk than its share.
@Suite(.timeLimit(.minutes(1))) struct QuotaTests {
    private static func configuration(_ byteCount: Int) -> Wire.SessionConfiguration {
        var configuration = Wire.SessionConfiguration.sample
        let value = String(repeating: "x", count: byteCount)
        configuration.additionalFields = [Wire.Field(name: "X-Large", value: value)]
        return configuration
    }

    private static func open(
        _ bench: inout MachineBench,
        _ session: String,
        of application: String = "app",
        byteCount: Int = 0
    ) -> MachineBench.Outcome? {
        let client = bench.connect()
        let open = Wire.OpenSession.sample(session, application, nil, configuration(byteCount))
        return bench.settledCall(client) { $0.openSession(open, from: $1) }
    }

    private static func reason(_ outcome: MachineBench.Outcome?) -> String? {
        guard case .refusal(.invalidRequest(_, let reason)) = outcome else { return nil }
        return reason
    }

    /// A policy with room for so many small sessions of an application, and of all.
    private static func policy(sessions: Int, ofAll: Int = 100) -> DaemonPolicy {
        var policy = DaemonPolicy.bench
        policy.maximumConfigurationByteCount = 4000
        policy.minimumSessionByteCount = 1000
        policy.maximumSessionByteCountPerApplication = sessions * 1000
        policy.maximumSessionByteCount = ofAll * 1000
        return policy
    }

    @Test func `REL-9: an application's sessions have only so many bytes together`() {
        var bench = MachineBench(Self.policy(sessions: 3))
        for session in ["one", "two"] { #expect(Self.reason(Self.open(&bench, session)) == nil) }
        let large = Self.reason(Self.open(&bench, "three", byteCount: 1700))
        #expect(large?.hasPrefix("an application's sessions have 3000 bytes together") == true)
        #expect(Self.reason(Self.open(&bench, "three")) == nil)
        #expect(Self.reason(Self.open(&bench, "four")) != nil)
        #expect(Self.reason(Self.open(&bench, "four", of: "other")) == nil)
        #expect(bench.machine.sessions.count == 4)
    }

    @Test func `REL-9: the sessions of all applications have only so many bytes together`() {
        var bench = MachineBench(Self.policy(sessions: 3, ofAll: 4))
        for (session, application) in [("1", "a"), ("2", "a"), ("3", "b"), ("4", "c")] {
            #expect(Self.reason(Self.open(&bench, session, of: application)) == nil)
        }
        let reason = Self.reason(Self.open(&bench, "5", of: "d"))
        #expect(reason?.hasPrefix("all sessions have 4000 bytes together") == true)
    }

    @Test func `REL-9: the configuration of one session has only so many bytes`() {
        var bench = MachineBench(Self.policy(sessions: 100))
        let reason = Self.reason(Self.open(&bench, "large", byteCount: 4000))
        #expect(reason?.hasPrefix("a session's configuration has 4000 bytes at most") == true)
    }

    @Test func `REL-9: sessions that are being opened count as those that are there`() {
        var bench = MachineBench(Self.policy(sessions: 3))
        let calls = (1...8).map { number in
            let open = Wire.OpenSession.sample("\(number)", "app", nil, Self.configuration(0))
            return bench.call(bench.connect()) { $0.openSession(open, from: $1) }
        }
        bench.settle()
        #expect(bench.machine.sessions.count == 3)
        #expect(calls.filter { Self.reason(bench.outcomes[$0]) != nil }.count == 5)
    }

    @Test func `REL-9: a session that exists is refused only if it wants more than it has`() {
        // As an earlier daemon has left them, which had other limits.
        var database = ModelDatabase()
        for (number, session) in ["one", "two", "three"].enumerated() {
            let configuration = Self.configuration(session == "three" ? 8000 : 0)
            let id = Int64(number + 1)
            database.commit([.sampleSession(session, configuration: configuration)])
            database.commit([.sampleTask(TaskID(id), session: SessionID(id))])
        }
        var bench = MachineBench(Self.policy(sessions: 2, ofAll: 2), on: database)
        #expect(Self.reason(Self.open(&bench, "one")) == nil)
        #expect(Self.reason(Self.open(&bench, "two", byteCount: 200)) == nil)
        #expect(Self.reason(Self.open(&bench, "three", byteCount: 8000)) == nil)
        #expect(Self.reason(Self.open(&bench, "three", byteCount: 8001)) != nil)
        #expect(Self.reason(Self.open(&bench, "one", byteCount: 1700)) != nil)
        #expect(Self.reason(Self.open(&bench, "four")) != nil)
    }

    @Test func `REL-9: an application may have thousands of small sessions`() {
        var bench = MachineBench()
        let refusals = (1...3000).compactMap {
            Self.reason(Self.open(&bench, "get-\($0)", of: "ferry"))
        }
        #expect(refusals.isEmpty)
        #expect(bench.machine.sessions.count == 3000)
    }

    @Test func `REL-9: of a long head the longest fields are not kept`() throws {
        var policy = DaemonPolicy.bench
        policy.maximumHeadByteCount = 100
        var bench = MachineBench(policy)
        let task = bench.start(bench.open())
        var response = Wire.Response.sample()
        response.fields = [
            Wire.Field(name: "ETag", value: "\"1\""),
            Wire.Field(name: "X-Long", value: String(repeating: "x", count: 5000)),
            Wire.Field(name: "Content-Type", value: "text/plain"),
        ]
        bench.input { [response] in
            $0.responded(task: task, response: response, request: .sample())
        }
        #expect(bench.log.contains { $0.contains("the longest 1 of them are not kept") })
        bench.finish(task)
        let event = try #require(bench.stored(task)?.event?.value)
        let stored = try #require(event.response?.value)
        #expect(stored.fields.map(\.name) == ["ETag", "Content-Type"])
        let events = bench.database.current.events(session: 1, after: 0, limit: 1)
        #expect(events.allSatisfy { $0.event.text.count < 1000 })
    }
}
