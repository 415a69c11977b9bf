import FerryHTTP
import FerryStore
import FerrySystem
import FerryTestSupport
import FerryWire
import Foundation
import FoundationEssentials
import Glibc
import Testing

@testable import FerryDaemon
@testable import FerryTransfer

/// That what was decided about a transfer, or stored for it, reaches those who carry it out.
@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct TransferWiringTests {
    let bench: DaemonBench
    let server: FixtureServer

    init() async throws {
        bench = try await DaemonBench()
        server = try FixtureServer()
    }

    private func task(_ bytes: ByteState? = nil, priority: Double = 0.5) -> TaskRecord {
        TaskRecord(
            id: 1,
            sessionID: 1,
            identifier: 1,
            state: .waiting,
            host: "a:80",
            priority: priority,
            request: Encoded(Wire.Request.sample(server.url("/"))),
            checkpoint: bytes.map { Encoded($0) },
            createdAt: Date()
        )
    }

    /// The start of a download whose place is found off the loop.
    private func startInDirectory() -> DaemonStateMachine.TransferStart {
        var options = Wire.TransferOptions()
        options.directory = bench.temporary.path
        return DaemonStateMachine.TransferStart(
            task: task(),
            additionalFields: [],
            options: options
        )
    }

    /// The download that a daemon makes of a task.
    private func download(
        of task: TaskRecord,
        _ options: Wire.TransferOptions? = nil
    ) async throws -> Download {
        let daemon = try await bench.start()
        let start = DaemonStateMachine.TransferStart(
            task: task,
            additionalFields: [],
            options: options
        )
        daemon.driver.perform([.start(start)])
        return try #require(daemon.driver.transfers[task.id] as? Download)
    }

    @Test func `a download has all that its task's options say`() async throws {
        var options = Wire.TransferOptions()
        options.digests = [Wire.Digest(algorithm: "sha-256", value: Data(repeating: 7, count: 32))]
        options.mirrors = ["http://mirror/1"]
        options.maximumConnections = 2
        options.receiveRate = 1000
        options.sendRate = 2000
        options.refusesErrorResponses = true
        options.retry = Wire.RetryRules(statuses: [418])
        let download = try await download(of: task(), options)
        let configuration = download.configuration
        #expect(configuration.digests.map(\.value) == [[UInt8](repeating: 7, count: 32)])
        #expect(configuration.mirrors == ["http://mirror/1"])
        #expect(configuration.segments.maximumConnections == 2)
        #expect(configuration.refusesErrorResponses)
        #expect(configuration.retriedStatuses == [418])
        #expect(download.rates?.receiveRate == 1000)
        #expect(download.rates?.sendRate == 2000)
        await bench.end()
    }

    @Test func `REL-1: what is being started is not started once more, however long that takes`()
        async throws
    {
        let daemon = try await bench.start()
        var launch = Wire.Launch.sample
        launch.executable = "/bin/sleep"
        launch.arguments = ["1000"]
        daemon.starts[1] = launch
        daemon.launch(1, launch, session: "session")
        #expect(daemon.starts[1] == launch)
        await daemon.applicationQueues.queue(of: 1).run {}
        #expect(daemon.children.isEmpty)
        // Another file may be on another disk.
        launch.directory = "/"
        daemon.launch(1, launch, session: "session")
        try await bench.work { daemon.starts.isEmpty }
        #expect(daemon.children.count == 1)
        daemon.children[1]?.signal(SIGKILL)
        try await bench.work { daemon.children.isEmpty }
        await bench.end()
    }

    @Test(arguments: [(0, 0.25), (0.5, 1), (1, 4)])
    func `a transfer's share of a limit is that of its task's priority`(
        priority: Double,
        weight: Double
    ) async throws {
        let download = try await download(of: task(priority: priority))
        #expect(download.rates?.weight == weight)
        await bench.end()
    }

    @Test func `what is set for a transfer while its place is found holds for it`() async throws {
        let daemon = try await bench.start()
        let start = startInDirectory()
        daemon.driver.perform([
            .start(start), .limitRate(task: 1, SharedRates(receive: 1000, send: 2000)),
            .prioritize(task: 1, 1),
        ])
        #expect(daemon.driver.transfers[1] == nil, "it is not made at once")
        try await bench.work { daemon.driver.transfers[1] != nil }
        let rates = try #require(daemon.driver.transfers[1]?.rates)
        #expect(rates.receiveRate == 1000)
        #expect(rates.sendRate == 2000)
        #expect(rates.weight == 4)
        await bench.end()
    }

    @Test func `a task that ends and starts again while its place is found has one transfer`()
        async throws
    {
        let daemon = try await bench.start()
        let start = startInDirectory()
        daemon.driver.perform([.start(start), .stop(task: 1)])
        #expect(daemon.driver.transfers.tasks.isEmpty)
        daemon.driver.perform([.start(start)])
        try await bench.work { daemon.driver.transfers[1] != nil }
        let transfer = daemon.driver.transfers[1]
        // Each place is found in turn.
        for _ in 0..<4 { await daemon.queue(of: task()).run {} }
        #expect(daemon.driver.transfers[1] === transfer)
        await bench.end()
    }

    @Test(arguments: [true, false])
    func `only a task of resume data is told where it goes on`(
        isFromResumeData: Bool
    ) async throws {
        let checkpoint = Checkpoint(
            generation: 1,
            version: ResourceVersion(
                validator: .strongETag("\"v1\""),
                totalByteCount: 100,
                url: server.url("/")
            ),
            synchronizedByteCount: 0,
            writtenByteCount: 10,
            bootIdentifier: .current
        )
        let state = ByteState(checkpoint: checkpoint, isFromResumeData: isFromResumeData)
        let download = try await download(of: task(state))
        #expect(download.configuration.announcesResumption == isFromResumeData)
        #expect(download.checkpoint == checkpoint)
        await bench.end()
    }

    @Test(arguments: [(Wire.UploadProtocol.off, false), (.automatic, true)])
    func `an upload is offered to be continued as its task's options say`(
        choice: Wire.UploadProtocol,
        isOffered: Bool
    ) async throws {
        server.on("/in", .content(.text("thanks")))
        try bench.temporary.write([1, 2, 3], to: "source")
        let file = try bench.temporary.directory.open("source", .read)
        let upload = UploadState(
            path: bench.temporary.directory.path(of: "source"),
            identity: try file.identity(),
            boot: .current
        )
        var task = task()
        task.request = Encoded(
            Wire.Request(url: server.url("/in"), method: "PUT", fields: [], idleTimeout: 30)
        )
        task.host = try #require(Origin(url: server.url("/in"))?.authority)
        task.upload = Encoded(upload)
        task.options = Encoded(Wire.TransferOptions(uploadProtocol: choice))
        try await bench.store.commit([.insertTask(task)])
        try await bench.start()
        try await bench.work { try await bench.events().count == 1 }
        let fields = try #require(server.requests.first).fields.map { $0.name.lowercased() }
        #expect(fields.contains { $0.hasPrefix("upload-") } == isOffered)
        await bench.end()
    }

    @Test(arguments: [(nil, 2), (true, 21)] as [(Bool?, Int)])
    func `HTTP-4: a transfer keeps the cookies of its redirects as its request says`(
        ignoresCookies: Bool?,
        requestCount: Int
    ) async throws {
        server.on("/") { request in
            guard request["Cookie"] == nil else { return .content(.text("la")) }
            return .redirect(to: "/").with(fields: [("Set-Cookie", "seen=1; HttpOnly")])
        }
        var request = Wire.Request.sample(server.url("/"))
        request.ignoresCookies = ignoresCookies
        var task = task()
        task.request = Encoded(request)
        task.host = try #require(Origin(url: server.url("/"))?.authority)
        try await bench.store.commit([.insertTask(task)])
        try await bench.start()
        try await bench.work { server.requests.count == requestCount }
        #expect(server.requests.last?["Cookie"] == (ignoresCookies == nil ? "seen=1" : nil))
        // The cookie is of the transfer alone.
        let record = try await bench.store.task(id: 1)
        #expect(
            record.map { String(decoding: $0.request.text, as: UTF8.self) }?.contains("seen")
                != true
        )
        await bench.end()
    }

    @Test func `an upload that is given up is ended with the session's fields`() async throws {
        server.on("/kept", .content(.text("")))
        var configuration = Wire.SessionConfiguration.sample
        configuration.additionalFields = [Wire.Field(name: "X-Api-Key", value: "key")]
        try await bench.store.commit([
            .setConfiguration(session: 1, Encoded(configuration))
        ])
        let daemon = try await bench.start()
        daemon.terminate(task(), UploadResource(url: server.url("/kept"), language: .draft8))
        try await bench.work { !server.requests.isEmpty }
        let request = try #require(server.requests.first)
        #expect(request.method == "DELETE")
        #expect(request["X-Api-Key"] == "key")
        await bench.end()
    }

    @Test func `an upload that is given up is ended with the session's certificate`() async throws {
        let home = try TestHome()
        let authority = try await TestAuthority(in: home)
        let nginx = try await Nginx(in: home, authority: authority)
        try nginx.addFile("upload/kept", Data("la".utf8))
        let url = nginx.url("upload/kept", by: .requiringCertificate)
        var configuration = Wire.SessionConfiguration.sample
        configuration.connections = Wire.Connections(
            authorityFile: authority.file,
            clientCertificate: Wire.ClientCertificate(
                certificate: authority.client.file,
                key: authority.client.keyFile
            )
        )
        try await bench.store.commit([
            .setConfiguration(session: 1, Encoded(configuration))
        ])
        let daemon = try await bench.start()
        var task = task()
        task.request = Encoded(Wire.Request.sample(url))
        daemon.terminate(task, UploadResource(url: url, language: .draft8))
        let requests = await nginx.requests(count: 1)
        #expect(requests.map(\.method) == ["DELETE"])
        // Without a certificate it would be 400.
        #expect(requests.map(\.status) == [204])
        await nginx.stop()
        await bench.end()
    }

    @Test
    func `another process has connections of its own, and transfers keep the session's limits`()
        async throws
    {
        let daemon = try await bench.start()
        let client = try daemon.clients.client(for: 1, decides: true, ConnectionSetup())
        #expect(try daemon.clients.client(for: 1, decides: true, ConnectionSetup()) === client)
        daemon.rateLimits.set(SharedRates(receive: 1000, send: nil), forSession: 1)
        let rates = daemon.rateLimits.makeRates(forSession: 1)
        daemon.forgetConnections(ofSession: 1)
        #expect(try daemon.clients.client(for: 1, decides: true, ConnectionSetup()) !== client)
        daemon.rateLimits.set(SharedRates(receive: 2000, send: nil), forSession: 1)
        #expect(rates.receiveRate == 2000)
        daemon.forget(session: 1)
        #expect(daemon.rateLimits.makeRates(forSession: 1).receiveRate == nil)
        await bench.end()
    }

    @Test func `the limits that were set hold for the next daemon, too`() async throws {
        let rates = SharedRates(receive: 1000, send: 2000)
        try await bench.store.commit([.set(.rates(Encoded(rates)))])
        let daemon = try await bench.start()
        #expect(daemon.machine.rates == rates)
        let made = daemon.rateLimits.makeRates(forSession: 1)
        #expect(made.receiveRate == 1000)
        #expect(made.sendRate == 2000)
        await bench.end()
    }

    // Where its directory is gone, it is started in another one; a mask that is none is not applied.
    @Test(arguments: ["/", "/nonexistent"], [nil, 0o027, 0o4027, -1] as [Int?])
    func `an application is started as it once started ferryd, not as ferryd is`(
        directory: String,
        mask: Int?
    ) async throws {
        var options = DaemonOptions()
        options.applicationAttributes = ProcessAttributes(fileModeMask: 0o037, descriptorLimit: 123)
        let daemon = try await bench.start(options)
        let place = bench.temporary.directory.path(of: "out")
        // The program stays until its start has been noted.
        let gate = bench.temporary.directory.path(of: "gate")
        try #require(mkfifo(gate, 0o600) == 0)
        let key = open(gate, O_RDWR | O_CLOEXEC)
        try #require(key >= 0)
        defer { close(key) }
        let launch = Wire.Launch(
            executable: "/bin/sh",
            arguments: [
                "-c",
                "(umask; ulimit -n; echo $FERRY_BACKGROUND_SESSION) > \(place); read go < \(gate)",
            ],
            directory: directory,
            environment: ["PATH": "/usr/bin:/bin"],
            fileModeMask: mask
        )
        daemon.launch(1, launch, session: "songs")
        try await bench.work { !daemon.children.isEmpty }
        #expect(write(key, "\n", 1) == 1)
        try await bench.work { daemon.children.isEmpty }
        let said = try String(contentsOfFile: place, encoding: .utf8).split(separator: "\n")
        #expect(said == [mask ?? -1 < 0 ? "0037" : "0027", "123", "songs"])
        await bench.end()
    }
}

@Suite(.enabled(if: HangingDisk.canBeMade), .timeLimit(.minutes(1)))
@LoopActor
struct HangingClientTests {
    @Test
    func
        `REL-1: the session of a client that is gone is let go while a file of its does not answer`()
        async throws
    {
        let disk = try await HangingDisk(byteCount: 10)
        let bench = try await DaemonBench()
        let daemon = try await bench.start()
        let information = ServiceInformation(vendor: "", product: "", version: "", url: "")
        let server = VarlinkServer(information: information, handler: daemon)
        let client = try UnixSocket.pair().split { first, second in
            server.accept(first)
            return VarlinkClient(second)
        }
        let reply = try await client.call(Wire.OpenSession.sample())
        #expect(daemon.machine.sessions[SessionID(reply.session)]?.attachment != nil)
        let descriptor = try systemCall("open") { open(disk.file, O_RDONLY | O_CLOEXEC) }
        let file = UserFile(
            FileDescriptor(owning: descriptor),
            on: BlockingQueue(label: "test.file")
        )
        try await disk.hang(.getattr)
        let create = Wire.CreateUpload(
            session: reply.session,
            identifier: 1,
            request: .sample(),
            path: disk.file,
            priority: 0.5
        )
        client.call(create, file: file) { _ in }
        try await disk.waitUntilHanging(.getattr)
        client.close()
        try await bench.work {
            daemon.machine.sessions[SessionID(reply.session)]?.attachment == nil
        }
        #expect(server.connectionCount == 1)
        try await disk.proceed()
        try await bench.work { server.connectionCount == 0 }
        await bench.end()
    }
}
