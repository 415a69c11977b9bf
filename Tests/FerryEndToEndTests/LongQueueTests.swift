import FerryHTTP
import FerrySystem
import FerryTestSupport
import FerryWire
import FoundationEssentials
import Testing

/// What many tasks and many clients cost a real ferryd.
@Suite(
    .serialized,
    .timeLimit(.minutes(3)),
    .disabled(if: Sanitizer.isOn, "a sanitizer takes several times the memory and the time")
)
struct LongQueueTests {
    private let home: TestHome

    init() throws { home = try TestHome() }

    private func connect() throws -> VarlinkClient {
        VarlinkClient(try DaemonStarter(environment: home.environment).connect())
    }

    /// Has a client create suspended tasks, many of them before it looks at an answer.
    private func createTasks(
        _ count: Int,
        urlLength: Int = 30,
        over client: VarlinkClient
    ) async throws {
        let session = try await client.call(
            Wire.OpenSession(
                application: Wire.Application(identifier: "org.example.Queue"),
                identifier: "long",
                configuration: Wire.SessionConfiguration(
                    additionalFields: [],
                    resourceTimeout: 0,
                    maximumConnectionsPerHost: 1,
                    sendsLaunchEvents: false
                )
            )
        ).session
        let url = "http://localhost/" + String(repeating: "a", count: urlLength)
        for identifier in 1..<count {
            client.call(create(identifier, url, session)) { _ in }
        }
        // Answers come in the order of the calls.
        _ = try await client.call(create(count, url, session))
    }

    private func create(_ identifier: Int, _ url: String, _ session: Int64) -> Wire.CreateDownload {
        Wire.CreateDownload(
            session: session,
            identifier: identifier,
            request: Wire.Request(url: url, method: "GET", fields: [], idleTimeout: 0),
            priority: 0.5
        )
    }

    /// How much memory ferryd has, in KiB.
    private func memory() throws -> Int {
        let daemon = try #require(home.daemons.first)
        let status = try Data(contentsOf: URL(filePath: "/proc/\(daemon)/status"))
        let line = String(decoding: status, as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix("VmRSS:") }
        return try #require(line.flatMap { Int($0.filter(\.isNumber)) })
    }

    @Test func `10 000 tasks that wait cost disk and no memory, and are listed page by page`()
        async throws
    {
        let client = try connect()
        try await createTasks(1000, over: client)
        let before = try memory()
        let again = try connect()
        _ = try await again.call(Wire.GetStatus())
        client.close()
        // The same session, opened by the same process once more; the first tasks are there already.
        try await createTasks(10_000, over: again)
        #expect(try memory() - before < 9000 / 5 + 4096, "0.2 KiB a task, and what fluctuates")
        var ids: [Int64] = []
        var next: Int64? = 0
        while let after = next {
            let page = try await again.call(Wire.ListTasks(after: after, limit: 1000))
            ids += try page.tasks.decoded().map(\.id)
            next = page.next
        }
        #expect(ids.count == 10_000)
        #expect(Set(ids).count == 10_000)
        again.close()
    }

    @Test func `a client that does not read a long list is not sent it, and gets it when it does`()
        async throws
    {
        let client = try connect()
        // All of them are more than 20 MB.
        try await createTasks(1000, urlLength: 20_000, over: client)
        let before = try memory()
        let slow = try connect()
        let (replies, continuation) = AsyncStream<StreamReply<Wire.WatchTasks.Reply>>.makeStream()
        await slow.setReading(false)
        slow.stream(Wire.WatchTasks()) { continuation.yield($0) }
        // It answers others meanwhile; what it has for the slow one is read by then, or waits.
        for _ in 0..<20 { _ = try await client.call(Wire.ListTasks(limit: 1)) }
        #expect(try memory() - before < 15_000)
        await slow.setReading(true)
        var count = 0
        for await reply in replies {
            guard case .next(let page) = reply else { break }
            count += page.tasks.count
            if count == 1000 { break }
        }
        #expect(count == 1000)
        slow.close()
        client.close()
    }

    @Test func `a thousand clients have a session and an event stream each`() async throws {
        _ = try await home.ferry("list")
        let locations = SocketLocations(BaseDirectories(environment: home.environment))
        let socket = try #require(locations.directories.first)
        let result = try await TestProcess.run(
            "/usr/bin/python3",
            ["-c", Self.clients, "\(socket)/io.ferry.Transfer"],
            environment: ["PATH": "/usr/bin:/bin"]
        )
        #expect(result.output == "1000 sessions, 2001 connections\n", "\(result.error)")
        #expect(try await home.ferry("list").exit == .exited(status: 0))
    }

    /// Seventeen processes, since one may have 128 connections; each client opens a session and waits
    /// for the first event, that there are no others.
    private static let clients = """
        import json, os, socket, sys

        def call(connection, method, more=False, **parameters):
            message = {"method": "io.ferry.Transfer." + method, "parameters": parameters, "more": more}
            connection.sendall(json.dumps(message).encode() + b"\\0")
            reply = b""
            while not reply.endswith(b"\\0"):
                part = connection.recv(65536)
                if not part: sys.exit(method + ": closed")
                reply += part
            return json.loads(reply[:-1])["parameters"]

        def connect():
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(sys.argv[1])
            return connection

        def client(number):
            calls, events = connect(), connect()
            session = call(
                calls, "OpenSession", application={"identifier": "app%d" % number}, identifier="s",
                configuration={"additionalFields": [], "resourceTimeout": 0,
                               "maximumConnectionsPerHost": 1, "sendsLaunchEvents": False})["session"]
            event = call(events, "Subscribe", more=True, session=session)["event"]
            assert event["kind"] == "drained", event
            return calls, events

        ready, end = os.pipe(), os.pipe()
        for first in range(0, 1000, 60):
            if os.fork() == 0:
                os.close(end[1])
                open_clients = [client(n) for n in range(first, min(first + 60, 1000))]
                os.write(ready[1], b"." * len(open_clients))
                os.read(end[0], 1)
                os._exit(0)
        os.close(ready[1])
        count = 0
        while count < 1000:
            part = os.read(ready[0], 1000)
            if not part: break
            count += len(part)
        status = call(connect(), "GetStatus")["status"]
        print("%d sessions, %d connections" % (status["sessions"], status["connections"]))
        """
}
