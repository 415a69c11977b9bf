import FerryTestSupport

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
