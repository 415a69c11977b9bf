import FerryTestSupport
import Testing

/// Servers that lead downloads to others, all at once, from a session of an app's own and from ferryd.
@Suite(.serialized, .timeLimit(.minutes(3))) struct CuriousServerTests {
    @Test(arguments: CuriousServer.Secret.allCases, LyingServerRun.Place.allCases)
    func `SEC-3: what is for one server is shown to no other one, however a download comes there`(
        secret: CuriousServer.Secret,
        place: LyingServerRun.Place
    ) async throws {
        let run = try await LyingServerRun([], in: place, connections: 4)
        let authority = try await TestAuthority(in: run.home)
        var pairs: [CuriousServer.Target: CuriousPair] = [:]
        for target in CuriousServer.Target.allCases {
            pairs[target] = try await CuriousPair(target, authority)
        }
        let rows = CuriousServer.all.filter { $0.secret == secret }
        let urls = rows.enumerated().flatMap { index, row in
            pairs[row.target]?.serve(row, number: index + 1) ?? []
        }
        let app = try await run.start(
            secret.fields.flatMap { ["--field", $0] }
                + ["--user", "jo", "--password", "secret"] + urls,
            variables: ["SSL_CERT_FILE": authority.file]
        )
        await run.end(of: app)
        for (index, row) in rows.enumerated() {
            let comment = Comment(rawValue: row.behaviour)
            #expect(run.events.lines.contains("completed \(index + 1) ok"), comment)
            let requests = pairs[row.target]?.requests(number: index + 1) ?? []
            #expect(!requests.isEmpty, comment)
            for (request, name) in requests.flatMap({ request in
                CuriousServer.telling.map { (request, $0) }
            }) {
                #expect((request[name] != nil) == (row.target == .sameOrigin), comment)
            }
        }
    }
}

/// A server and the one that it leads to, at one distance of the two.
struct CuriousPair {
    private let first: FixtureServer
    private let second: FixtureServer
    private let home: TestHome
    private let relay: TLSRelay?
    private let target: CuriousServer.Target

    /// Starts both.
    ///
    /// - Parameters:
    ///   - target: Where the second one is, as seen from the first.
    ///   - authority: Who has signed the certificate of the one that speaks TLS, if any.
    /// - Throws: `SystemCallError`, or ``TestServerError``.
    init(_ target: CuriousServer.Target, _ authority: TestAuthority) async throws {
        self.target = target
        home = try TestHome()
        first = try FixtureServer()
        switch target {
        case .sameOrigin: second = first
        case .otherHost: second = try FixtureServer(host: "127.0.0.2")
        case .otherPort, .plain, .secure: second = try FixtureServer()
        }
        relay =
            switch target {
            case .plain: try await TLSRelay(in: home, authority: authority, to: first.port)
            case .secure: try await TLSRelay(in: home, authority: authority, to: second.port)
            case .sameOrigin, .otherHost, .otherPort: nil
            }
    }

    /// Serves a row of the table.
    ///
    /// - Returns: What the app's arguments are for it.
    func serve(_ server: CuriousServer, number: Int) -> [String] {
        let address =
            target == .secure ? relay?.url(end(number)) ?? "" : second.url(end(number))
        first.on("/file-\(number)", answer: server.answer(leadingTo: address))
        second.on(end(number), .oldFile)
        let url = "/file-\(number)"
        return (server.way == .mirror ? ["--mirror", address] : [])
            + ["--url", target == .plain ? relay?.url(url) ?? "" : first.url(url)]
    }

    private func end(_ number: Int) -> String { "/end-\(number)" }

    /// What the second one was asked for that row.
    func requests(number: Int) -> [FixtureRequest] { second.requests(to: end(number)) }
}
