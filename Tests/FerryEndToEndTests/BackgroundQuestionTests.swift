import FerrySystem
import FerryTestSupport
import Foundation
import Glibc
import Testing

/// What real apps decide for a real ferryd about a real nginx.
@Suite(.serialized, .timeLimit(.minutes(2))) struct BackgroundQuestionTests {
    private static let size = 4 << 20
    private static let identity = ["--passphrase", TestAuthority.bundlePassword]
    private static let user = ["--user", Nginx.user]
    private static let password = user + ["--password", Nginx.password]

    private let home: TestHome
    private let nginx: Nginx
    private let authority: TestAuthority
    private let events: EventPipe

    init() async throws {
        home = try TestHome(
            daemonArguments: ["--retry-delay", "0.05", "--relaunch-delay", "0.05"]
        )
        authority = try await TestAuthority(in: home)
        nginx = try await Nginx(in: home, authority: authority, bytesPerSecond: Self.size)
        events = try await EventPipe(in: home)
    }

    // MARK: Passwords

    @Test func `BG-36: an app that runs is asked for a password, and again if it was wrong`()
        async throws
    {
        let data = try nginx.addFile("song.bin", byteCount: 100_000)
        let app = try await start(
            "private/song.bin",
            Self.user + ["--password", "wrong"] + Self.password
        )
        #expect(await events.next("asked") == "asked 1 0")
        #expect(await events.next("asked") == "asked 1 1")
        #expect(await events.next("finished") == "finished 1 song.bin 200")
        #expect(await events.next("completed") == "completed 1 ok")
        await app.killed()
        #expect(try file("song.bin") == data)
    }

    @Test func `DL-25, BG-32: the metrics of a task tell of each round of a challenge`()
        async throws
    {
        try nginx.addFile("song.bin", byteCount: 100_000)
        let app = try await start("private/song.bin", Self.password + ["--metrics", "yes"])
        #expect(await events.next("finished") == "finished 1 song.bin 200")
        #expect(await events.next() == "metrics 1 401 200")
        #expect(await events.next() == "completed 1 ok")
        await app.killed()
    }

    @Test func `BG-36: an app that has died is started again to be asked for a password`()
        async throws
    {
        let data = try nginx.addFile("song.bin", byteCount: 100_000)
        let app = try await start("private/song.bin", Self.password + ["--silent", "yes"])
        #expect(await events.next("asked") == "asked 1 0")
        await app.killed()
        #expect(await events.next("start") == "start background")
        #expect(await events.next("asked") == "asked 1 0")
        #expect(await events.next("did-finish-events") == "did-finish-events")
        // Its file may be there before it has ended, or be worth another start.
        #expect(await events.next("completed") == "completed 1 ok")
        #expect(try file("song.bin") == data)
    }

    @Test func `BG-36: why a task waits for its app can be seen`() async throws {
        try nginx.addFile("song.bin", byteCount: 100_000)
        let app = try await start("private/song.bin", Self.password + ["--silent", "yes"])
        _ = await events.next("asked")
        let why = try await home.ferry("why", "1")
        let origin = "http://127.0.0.1:\(nginx.port())"
        #expect(why.output.contains("test-app has decided: a password for \(origin)"))
        let list = try await home.ferry("list")
        #expect(list.output.contains("waiting for its application"))
        await app.killed()
    }

    @Test func `DL-12: without a password the server's refusal is the answer`() async throws {
        try nginx.addFile("song.bin", byteCount: 100_000)
        let app = try await start("private/song.bin", [])
        #expect(await events.next("asked") == "asked 1 0")
        #expect(await events.next("finished") == "finished 1 song.bin 401")
        #expect(await events.next("completed") == "completed 1 ok")
        await app.killed()
    }

    @Test func `DL-12: a task whose challenge is cancelled fails with -999`() async throws {
        try nginx.addFile("song.bin", byteCount: 100_000)
        let app = try await start("private/song.bin", ["--cancel-challenges", "yes"])
        #expect(await events.next("completed") == "completed 1 -999")
        await app.killed()
    }

    // MARK: Certificates

    @Test func `DL-9: an authority of the app's own is trusted, which nobody else trusts`()
        async throws
    {
        let data = try nginx.addFile("song.bin", byteCount: 100_000)
        let app = try await start("song.bin", by: .secure, ["--trust", "yes"])
        #expect(await events.next("trusts") == "trusts 127.0.0.1")
        #expect(await events.next("completed") == "completed 1 ok")
        #expect(try file("song.bin") == data)
        // The first one stays: it would be started again if it were killed before it has acknowledged its event.
        let second = try await start("song.bin", by: .secure, [], "--session", "other")
        // Nor are the first one's connections of any use to it.
        let end = await events.next("completed")
        #expect(end == "completed 1 -1202")
        await second.killed()
        await app.killed()
    }

    @Test func `BG-37: a client's certificate proves who it is, after a kill of ferryd, too`()
        async throws
    {
        let data = try nginx.addFile("song.bin", byteCount: Self.size)
        let app = try await start(
            "song.bin",
            by: .requiringCertificate,
            ["--trust", "yes", "--identity", authority.clientBundle] + Self.identity
        )
        #expect(await events.next("identifies") == "identifies itself")
        _ = await events.next("progress")
        await TestHome.kill(home.daemons)
        // What it has said was in the memory of the ferryd that died.
        #expect(await events.next("identifies") == "identifies itself")
        #expect(await events.next("completed") == "completed 1 ok")
        await app.killed()
        #expect(try file("song.bin") == data)
    }

    @Test func `BG-37: an upload proves who it is, and its file is sent whole`() async throws {
        let body = Data(FixtureContent.seeded(3, byteCount: 2_000_000).bytes)
        let path = "\(home.path)/body"
        try body.write(to: URL(filePath: path))
        let url = nginx.url("upload/body", by: .requiringCertificate)
        let app = try await start(
            ["--upload", "\(url) \(path)", "--trust", "yes"]
                + ["--identity", authority.clientBundle] + Self.identity
        )
        #expect(await events.next("completed") == "completed 1 ok")
        await app.killed()
        #expect(try nginx.uploadedFile("body") == body)
    }

    @Test func `no secret is kept on the disk`() async throws {
        try nginx.addFile("song.bin", byteCount: Self.size)
        // Not in the arguments, with which ferryd would start it again.
        let secret = "\(home.files)/secret"
        try Data(Nginx.password.utf8).write(to: URL(filePath: secret))
        let app = try await start("private/song.bin", Self.user + ["--password-file", secret])
        _ = await events.next("progress")
        try FileManager.default.removeItem(atPath: secret)
        let directory = URL(filePath: home.path)
        let files = FileManager.default.subpaths(atPath: directory.path) ?? []
        #expect(files.contains { $0.hasSuffix("ferry.sqlite") })
        for name in files where !name.hasPrefix("nginx") {
            let contents = try? Data(contentsOf: directory.appending(path: name), options: [])
            guard let contents else { continue }
            #expect(contents.range(of: Data(Nginx.password.utf8)) == nil, "in \(name)")
            let basic = Data("\(Nginx.user):\(Nginx.password)".utf8).base64EncodedString()
            #expect(contents.range(of: Data(basic.utf8)) == nil, "in \(name)")
        }
        await app.killed()
    }

    // MARK: Tasks that begin later

    @Test func `BG-20, BG-21: a task begins at its date, when its app was asked`() async throws {
        let data = try nginx.addFile("song.bin", byteCount: 100_000)
        let app = try await start("song.bin", ["--begin-in", "1"])
        #expect(await events.next("will-begin") == "will-begin 1")
        #expect(await events.next("completed") == "completed 1 ok")
        await app.killed()
        #expect(try file("song.bin") == data)
    }

    @Test func `BG-21: an app that has died is started again and renews the request`() async throws
    {
        let data = try nginx.addFile("new.bin", byteCount: 100_000)
        let url = nginx.url("new.bin?token=2")
        let app = try await start("song.bin", ["--begin-in", "3", "--when-begun", url])
        _ = await events.next("ready")
        await app.killed()
        #expect(await events.next("start") == "start background")
        #expect(await events.next("will-begin") == "will-begin 1")
        #expect(await events.next("completed") == "completed 1 ok")
        #expect(try file("song.bin") == data)
        #expect(nginx.requests().map(\.path) == ["/new.bin"])
    }

    @Test func `BG-21: a task that is cancelled when it is to begin fails with -999`() async throws
    {
        let app = try await start("song.bin", ["--begin-in", "0.5", "--when-begun", "cancel"])
        #expect(await events.next("will-begin") == "will-begin 1")
        #expect(await events.next("completed") == "completed 1 -999")
        await app.killed()
        #expect(nginx.requests().isEmpty)
    }

    // MARK: Parts

    private func start(
        _ name: String,
        by listener: Nginx.Listener = .plain,
        _ arguments: [String],
        _ more: String...
    ) async throws -> TestProcess {
        try await start(["--url", nginx.url(name, by: listener)] + arguments + more)
    }

    private func start(_ arguments: [String]) async throws -> TestProcess {
        try await TestProcess(
            TestHome.executable("ferry-test-app"),
            ["--events", events.path, "--directory", home.files] + arguments,
            environment: home.environment
        )
    }

    private func file(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: "\(home.files)/\(name)"))
    }
}
