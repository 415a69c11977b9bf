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

    @Test func `REL-9: an application has only so many sessions`() {
        var policy = DaemonPolicy.bench
        policy.maximumSessions = 2
        var bench = MachineBench(policy)
        for session in ["one", "two", "one"] {
            #expect(Self.reason(Self.open(&bench, session)) == nil)
        }
        let reason = Self.reason(Self.open(&bench, "three"))
        #expect(reason?.hasPrefix("an application has 2 sessions at most") == true)
        #expect(Self.reason(Self.open(&bench, "three", of: "other")) == nil)
        #expect(bench.machine.sessions.count == 3)
    }

    @Test func `REL-9: a session's configuration has only so many bytes, and all of them together`()
    {
        var policy = DaemonPolicy.bench
        policy.maximumConfigurationByteCount = 2000
        policy.maximumConfigurationByteCountOfAll = 4000
        var bench = MachineBench(policy)
        let single = Self.reason(Self.open(&bench, "large", byteCount: 2000))
        #expect(single?.hasPrefix("a session's configuration has 2000 bytes at most") == true)
        #expect(Self.reason(Self.open(&bench, "one", byteCount: 1700)) == nil)
        #expect(Self.reason(Self.open(&bench, "two", byteCount: 1700)) == nil)
        let all = Self.reason(Self.open(&bench, "three", byteCount: 1700))
        #expect(all?.contains("4000 bytes together at most") == true)
        // One that is opened again takes the place of what it was.
        #expect(Self.reason(Self.open(&bench, "two", byteCount: 1700)) == nil)
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
            $0.responded(task: task, response: response, request: .sample(), at: $1)
        }
        #expect(bench.log.contains { $0.contains("the longest 1 of them are not kept") })
        bench.finish(task)
        let stored = try #require(bench.stored(task)?.response.flatMap { Stored.response($0) })
        #expect(stored.fields.map(\.name) == ["ETag", "Content-Type"])
        let events = bench.database.current.events(session: 1, after: 0, limit: 1)
        #expect(events.allSatisfy { $0.payload.count < 1000 })
    }
}
