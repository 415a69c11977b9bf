import FerryHTTP
import FerrySystem
import FerryTestSupport
import FerryWire
import FoundationEssentials
import Glibc
import Testing

/// What an application finds that ferryd has started.
@Suite(.serialized, .timeLimit(.minutes(1))) struct LaunchedApplicationTests {
    private let home: TestHome
    private let events: EventPipe

    init() async throws {
        home = try TestHome()
        events = try await EventPipe(in: home)
    }

    @Test(arguments: [nil, 0o027])
    func `REL-15: an application has its own mask, or ferryd's with more taken, and usual limits`(
        _ mask: Int?
    ) async throws {
        let nginx = try await Nginx(in: home)
        try nginx.addFile("song.bin", byteCount: 1000)
        // A mask that leaves files open to others, and a soft limit, which ferryd raises for itself.
        let environment = try daemon(after: "umask 004; ulimit -S -n 321")
        let signals = "grep '^Sig[BI]' /proc/self/status"
        try await home.download(
            nginx.url("song.bin"),
            then: "{ umask; ulimit -S -n; \(signals); echo end; } >'\(events.path)'",
            mask: mask,
            environment
        )
        _ = await events.next("end")
        #expect(events.lines.prefix(2) == [mask == nil ? "0026" : "0027", "1024"])
        for line in events.lines.dropFirst(2).prefix(2) {
            #expect(SignalMask(line)?.signals == [], "\(line)")
        }
        #expect(events.lines.firstIndex(of: "end") == 4)
        await nginx.stop()
    }

    @Test func `an application whose directory has gone is started in the root directory`()
        async throws
    {
        let nginx = try await Nginx(in: home)
        try nginx.addFile("song.bin", byteCount: 1000)
        try await home.download(
            nginx.url("song.bin"),
            then: "pwd >'\(events.path)'",
            in: "\(home.path)/gone"
        )
        #expect(await events.next() == "/")
        await nginx.stop()
    }

    @Test func `USE-13: the log names the variables that an application is started without`()
        async throws
    {
        let nginx = try await Nginx(in: home)
        try nginx.addFile("song.bin", byteCount: 1000)
        try await home.download(
            nginx.url("song.bin"),
            then: "echo started >'\(events.path)'",
            without: ["FETCH_LIBRARY", "EDITOR"]
        )
        #expect(await events.next() == "started")
        let line =
            "started shell for its events, without these of its variables: EDITOR, FETCH_LIBRARY"
        while try await !home.ferry("log").output.contains(line) {}
        await nginx.stop()
    }

    /// The environment of clients whose ferryd is started by a shell that runs `commands` first.
    private func daemon(after commands: String) throws -> [String: String] {
        let path = "\(home.path)/ferryd-of-test"
        let script = "#!/bin/sh\n\(commands)\nexec '\(home.path)/ferryd' \"$@\"\n"
        try Data(script.utf8).write(to: URL(filePath: path))
        chmod(path, 0o700)
        return home.environment.merging(["FERRY_DAEMON": path]) { $1 }
    }
}

extension TestHome {
    /// Has ferryd load a file for an application that goes at once, and is started with `script`.
    func download(
        _ url: String,
        then script: String,
        in directory: String = "/",
        mask: Int? = nil,
        without omitted: [String]? = nil,
        _ environment: [String: String]? = nil
    ) async throws {
        let environment = environment ?? self.environment
        let client = VarlinkClient(try DaemonStarter(environment: environment).connect())
        let launch = Wire.Launch(
            executable: "/bin/sh",
            arguments: ["-c", script],
            directory: directory,
            environment: environment,
            fileModeMask: mask,
            omittedVariables: omitted
        )
        let session = try await client.call(
            Wire.OpenSession(
                application: Wire.Application(identifier: "shell", launch: launch),
                identifier: "test",
                configuration: Wire.SessionConfiguration(
                    additionalFields: [],
                    resourceTimeout: 0,
                    maximumConnectionsPerHost: 1,
                    sendsLaunchEvents: true
                )
            )
        ).session
        let request = Wire.Request(url: url, method: "GET", fields: [], idleTimeout: 0)
        _ = try await client.call(
            Wire.CreateDownload(session: session, identifier: 1, request: request, priority: 0.5)
        )
        _ = try await client.call(Wire.Resume(session: session, identifier: 1))
        client.close()
    }
}
