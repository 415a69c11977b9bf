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
