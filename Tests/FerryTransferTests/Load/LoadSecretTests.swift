import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

/// What proves to one server who asks is shown to no other one, whoever has chosen that.
@Suite(.timeLimit(.minutes(5))) struct LoadSecretTests {
    typealias Machine = Load.StateMachine

    /// What a server may want to know.
    enum Credential: CaseIterable {
        case basicPassword
        case digestPassword
        case clientCertificate
        case absentCertificate
        case proxyPassword
    }

    private static let request = TransferRequest(url: "https://a.example/")
    private static let identity = HTTPIdentity([1], format: .pem)

    private func head(_ status: Int, _ fields: [(String, String)]) -> HTTPResponseHead {
        HTTPResponseHead(
            status: status,
            fields: fields.map { HTTPField(name: $0.0, value: $0.1) },
            url: Self.request.url
        )
    }

    /// A machine whose request is out, with a credential.
    private func machine(with credential: Credential) -> Machine {
        var machine = Machine(request: Self.request, hasBody: false)
        _ = machine.after { $0.start() }
        _ = machine.after { $0.prepared() }
        switch credential {
        case .basicPassword: prove(&machine, 401, ("WWW-Authenticate", "Basic realm=r"))
        case .digestPassword: prove(&machine, 401, ("WWW-Authenticate", "Digest nonce=n"))
        case .proxyPassword: prove(&machine, 407, ("Proxy-Authenticate", "Basic realm=r"))
        case .clientCertificate: identify(&machine, .identify(Self.identity))
        case .absentCertificate: identify(&machine, .performDefaultHandling)
        }
        _ = machine.after { $0.prepared() }
        return machine
    }

    private func prove(_ machine: inout Machine, _ status: Int, _ field: (String, String)) {
        _ = machine.after { $0.receivedHead(head(status, [field])) }
        _ = machine.after { $0.exchangeFinished(nil) }
        _ = machine.after { $0.challengeAnswered(.use(.init(user: "u", password: "p"))) }
    }

    private func identify(_ machine: inout Machine, _ answer: LoadChallengeAnswer) {
        _ = machine.decide(on: CertificateRequest(host: "a.example", issuers: []))
        _ = machine.after {
            $0.exchangeFinished(HTTPError(code: .clientCertificateUndecided, message: ""))
        }
        _ = machine.after { $0.challengeAnswered(answer) }
    }

    /// Follows a redirect, and says whether the request that follows shows a credential.
    private func shows(
        _ credential: Credential,
        afterRedirectTo location: String,
        choosing url: String
    ) throws -> Bool {
        var machine = machine(with: credential)
        try #require(isShown(credential, by: &machine))
        _ = machine.after { $0.receivedHead(head(302, [("Location", location)])) }
        _ = machine.after { $0.exchangeFinished(nil) }
        var chosen = Self.request
        chosen.url = url
        _ = machine.after { $0.redirectAnswered(chosen) }
        _ = machine.after { $0.prepared() }
        try #require(machine.current.transfer.url == url)
        return try isShown(credential, by: &machine)
    }

    private func isShown(_ credential: Credential, by machine: inout Machine) throws -> Bool {
        let names = try machine.proofFields(clientNonce: "c").map(\.name)
        switch credential {
        case .basicPassword, .digestPassword: return names == ["Authorization"]
        case .proxyPassword: return names == ["Proxy-Authorization"]
        case .clientCertificate: return machine.current.identity == Self.identity
        case .absentCertificate: return machine.current.isIdentityDecided
        }
    }

    private static let otherOrigins = [
        "https://b.example/", "https://a.example:8443/", "http://a.example/",
        "https://www.a.example/",
    ]

    @Test(arguments: Credential.allCases, otherOrigins)
    func `TEST-4: no credential follows a redirect to another origin, but a proxy's`(
        credential: Credential,
        url: String
    ) throws {
        let isShown = try shows(credential, afterRedirectTo: url, choosing: url)
        #expect(isShown == (credential == .proxyPassword))
    }

    @Test(arguments: Credential.allCases, otherOrigins)
    func `SEC-3: nor does it go to a server that the app has chosen in place of the redirect's own`(
        credential: Credential,
        url: String
    ) throws {
        let isShown = try shows(credential, afterRedirectTo: "/b", choosing: url)
        #expect(isShown == (credential == .proxyPassword))
    }

    @Test(arguments: Credential.allCases, ["/b", "https://b.example/"])
    func `a request to the server that has redirected goes on to show it, wherever that leads`(
        credential: Credential,
        location: String
    ) throws {
        let url = "https://a.example/c"
        #expect(try shows(credential, afterRedirectTo: location, choosing: url))
    }

    @Test func `SEC-3: nor is another server trusted for the certificates of this one`() {
        var machine = Machine(request: Self.request, hasBody: false)
        _ = machine.after { $0.start() }
        _ = machine.after { $0.prepared() }
        let trust = HTTPServerTrust(
            host: "a.example",
            certificates: [[1]],
            verdict: .untrusted("self-signed")
        )
        _ = machine.decide(on: trust)
        _ = machine.after {
            $0.exchangeFinished(HTTPError(code: .serverTrustUndecided, message: ""))
        }
        _ = machine.after { $0.challengeAnswered(.trust) }
        _ = machine.after { $0.prepared() }
        _ = machine.after { $0.receivedHead(head(302, [("Location", "/b")])) }
        _ = machine.after { $0.exchangeFinished(nil) }
        _ = machine.after { $0.redirectAnswered(TransferRequest(url: "https://b.example/")) }
        _ = machine.after { $0.prepared() }
        #expect(machine.decide(on: trust) == .ask)
    }

    @Test func `however often an app chooses another target, the redirects are counted`() {
        var machine = Machine(request: Self.request, hasBody: false)
        _ = machine.after { $0.start() }
        _ = machine.after { $0.prepared() }
        for _ in 1...20 {
            _ = machine.after { $0.receivedHead(head(302, [("Location", "/b")])) }
            _ = machine.after { $0.exchangeFinished(nil) }
            _ = machine.after { $0.redirectAnswered(TransferRequest(url: "https://b.example/")) }
            _ = machine.after { $0.prepared() }
        }
        let effects = machine.after { $0.receivedHead(head(302, [("Location", "/b")])) }
        guard case .finish(let error?)? = effects.last else {
            Issue.record("\(effects)")
            return
        }
        #expect(error.code == .tooManyRedirects)
    }
}

/// Who is shown the certificate that a session names.
@Suite(.timeLimit(.minutes(1))) @LoopActor struct OwnIdentityTests {
    private nonisolated static let servers = [
        ("https://a/other", true), ("https://a:443/", true), ("https://a:444/", false),
        ("http://a/", false), ("https://b/", false),
    ]

    private let identity = HTTPIdentity([1], format: .pem)
    private let own: OwnIdentity

    init() throws {
        own = try #require(OwnIdentity(identity, meantFor: "https://a/file"))
    }

    @Test(arguments: servers)
    func `SEC-8: a client says who it is to the task's own server alone`(
        url: String,
        isShown: Bool
    ) {
        #expect(own.identity(for: TransferRequest(url: url)) == (isShown ? identity : nil))
    }

    @Test(arguments: servers)
    func `SEC-8: nor does it when an upload is given up`(url: String, isShown: Bool) throws {
        let farewell = UploadTermination(decider: nil, as: own)
        let load = Load(
            request: TransferRequest(url: "https://a/file"),
            client: try HTTPClient(),
            decider: farewell,
            receiver: farewell
        )
        let shown = farewell.load(load, identityFor: TransferRequest(url: url))
        #expect(shown == (isShown ? identity : nil))
    }
}
