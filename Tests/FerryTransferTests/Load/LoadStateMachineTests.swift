import FerryHTTP
import FerryTestSupport
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5))) struct LoadStateMachineTests {
    typealias Machine = Load.StateMachine

    private let request = TransferRequest(
        url: "https://a.example/",
        fields: [HTTPField(name: "X-Key", value: "secret")]
    )

    private func head(
        _ status: Int,
        _ fields: KeyValuePairs<String, String> = [:]
    ) -> HTTPResponseHead {
        HTTPResponseHead(
            status: status,
            fields: fields.map { HTTPField(name: $0.key, value: $0.value) },
            url: "https://a.example/"
        )
    }

    /// A machine whose request is out.
    private func requesting(
        _ request: TransferRequest? = nil,
        hasBody: Bool = false
    ) -> Machine {
        var machine = Machine(request: request ?? self.request, hasBody: hasBody)
        _ = machine.after { $0.start() }
        _ = machine.after { $0.prepared() }
        return machine
    }

    private func challenge(_ effects: [Machine.Effect]) -> LoadChallenge? {
        guard case .ask(let challenge)? = effects.last else { return nil }
        return challenge
    }

    private func sent(_ effects: [Machine.Effect]) -> Machine.Request? {
        guard case .send(let request)? = effects.last else { return nil }
        return request
    }

    // MARK: - Origins

    @Test(arguments: ["https://b.example/", "http://a.example/", "https://a.example:444/"])
    func `what one server is trusted with is none of another's`(other: String) {
        var given = Machine.Request(transfer: request)
        given.trustedCertificates = [[1]]
        given.identity = HTTPIdentity([2], format: .pem, passphrase: nil)
        given.isIdentityDecided = true
        let same = given.followed(by: TransferRequest(url: "https://a.example/2"))
        #expect(same.trustedCertificates == [[1]])
        #expect(same.identity == given.identity)
        #expect(same.isIdentityDecided)
        let foreign = given.followed(by: TransferRequest(url: other))
        #expect(foreign.trustedCertificates == nil)
        #expect(foreign.identity == nil)
        #expect(!foreign.isIdentityDecided)
    }

    /// Answers the question for a password, and sends the request again.
    private func prove(_ machine: inout Machine, asProxy: Bool = false, _ challenge: String) {
        let name = asProxy ? "Proxy-Authenticate" : "WWW-Authenticate"
        _ = machine.after { $0.receivedHead(head(asProxy ? 407 : 401, [name: challenge])) }
        _ = machine.after {
            $0.challengeAnswered(.use(PasswordCredential(user: "u", password: "p")))
        }
        _ = machine.after { $0.prepared() }
    }

    @Test(arguments: ["https://b.example/", "http://a.example/", "https://a.example:444/"])
    func `a part from another server has the proxy's password at most`(mirror: String) throws {
        var machine = requesting()
        prove(&machine, "Basic realm=\"music\"")
        prove(&machine, asProxy: true, "Basic realm=\"proxy\"")
        var part = Machine(request: TransferRequest(url: "https://a.example/2"), hasBody: false)
        part.inherit(from: machine)
        #expect(
            try part.proofFields(clientNonce: "n").map(\.name)
                == ["Authorization", "Proxy-Authorization"]
        )
        var foreign = Machine(request: TransferRequest(url: mirror), hasBody: false)
        foreign.inherit(from: machine)
        #expect(
            try foreign.proofFields(clientNonce: "n").map(\.name) == ["Proxy-Authorization"]
        )
    }

    @Test(arguments: [false, true])
    func `requests that are proved by the same nonce are counted`(asProxy: Bool) throws {
        var machine = requesting()
        prove(&machine, asProxy: asProxy, "Digest realm=\"music\", nonce=\"0\", qop=\"auth\"")
        for number in 1...3 {
            #expect(try counts(&machine) == ["nc=0000000\(number)"])
            _ = machine.after { $0.receivedHead(head(302, ["Location": "/\(number)"])) }
            _ = machine.after {
                $0.redirectAnswered(TransferRequest(url: "https://a.example/\(number)"))
            }
            _ = machine.after { $0.prepared() }
        }
        var next = Machine(request: request, following: machine.current, hasBody: false)
        #expect(try counts(&next) == ["nc=00000004"])
        let stale = "Digest realm=\"music\", nonce=\"1\", qop=\"auth\", stale=true"
        prove(&machine, asProxy: asProxy, stale)
        #expect(try counts(&machine) == ["nc=00000001"])
    }

    /// What says how many requests were proved by a nonce, for each proof of the current one.
    private func counts(_ machine: inout Machine) throws -> [String] {
        try machine.proofFields(clientNonce: "n").flatMap { field in
            field.value.split(separator: ", ").filter { $0.hasPrefix("nc=") }.map(String.init)
        }
    }

    @Test func `a server whose nonces are always stale is not sent proofs without end`() {
        var machine = requesting()
        prove(&machine, "Digest realm=\"music\", nonce=\"0\", qop=\"auth\"")
        let stale = "Digest realm=\"music\", nonce=\"1\", qop=\"auth\", stale=true"
        for _ in 1...3 {
            let effects = machine.after { $0.receivedHead(head(401, ["WWW-Authenticate": stale])) }
            #expect(challenge(effects) == nil)
            _ = machine.after { $0.prepared() }
        }
        let effects = machine.after { $0.receivedHead(head(401, ["WWW-Authenticate": stale])) }
        #expect(challenge(effects)?.previousFailureCount == 1)
    }

    // MARK: - Answers

    @Test func `a request is completed, sent and answered`() {
        var machine = Machine(request: request, hasBody: false)
        #expect(machine.after { $0.start() } == [.prepare(.init(transfer: request))])
        #expect(machine.after { $0.start() } == [])
        #expect(machine.after { $0.prepared() } == [.send(.init(transfer: request))])
        #expect(machine.after { $0.prepared() } == [])
        let response = head(200)
        #expect(
            machine.after { $0.receivedHead(response) } == [
                .reportResponse(response, request), .takeBody,
            ]
        )
        #expect(machine.after { $0.exchangeFinished(nil) } == [.finish(nil)])
        #expect(machine.hasEnded)
        #expect(machine.after { $0.exchangeFinished(nil) } == [])
    }

    @Test func `a failure before the head, or behind it, ends the load`() {
        var machine = requesting()
        let lost = HTTPError(code: .connectionLost, message: "gone")
        #expect(machine.after { $0.exchangeFinished(lost) } == [.finish(TransferError(lost))])
        machine = requesting()
        _ = machine.after { $0.receivedHead(head(200)) }
        #expect(machine.after { $0.exchangeFinished(lost) } == [.finish(TransferError(lost))])
    }

    @Test func `a cancel ends the exchange, wherever it is, and says nothing`() {
        var machine = Machine(request: request, hasBody: false)
        #expect(machine.after { $0.cancel() } == [.release])
        machine = requesting()
        #expect(machine.after { $0.cancel() } == [.cancelExchange, .release])
        #expect(machine.after { $0.receivedHead(head(200)) } == [])
        machine = requesting()
        _ = machine.after { $0.receivedHead(head(302, ["Location": "/b"])) }
        #expect(machine.after { $0.cancel() } == [.cancelExchange, .release])
        #expect(machine.after { $0.redirectAnswered(request) } == [])
    }

    // MARK: - Redirects

    @Test func `OR-6: a redirect that the app follows is another request`() throws {
        var machine = requesting()
        let redirect = head(302, ["Location": "/b", "Content-Length": "5"])
        var next = request
        next.url = "https://a.example/b"
        #expect(
            machine.after { $0.receivedHead(redirect) } == [.pause, .askRedirect(redirect, next)]
        )
        #expect(machine.after { $0.redirectAnswered(next) } == [.skipBody])
        let request = Machine.Request(transfer: next, redirectCount: 1)
        #expect(machine.after { $0.exchangeFinished(nil) } == [.prepare(request)])
        #expect(machine.after { $0.prepared() } == [.send(request)])
    }

    @Test func `a long body of a redirect is not waited for`() {
        var machine = requesting()
        _ = machine.after {
            $0.receivedHead(head(302, ["Location": "/b", "Content-Length": "5000000"]))
        }
        let effects = machine.after { $0.redirectAnswered(request) }
        #expect(effects.first == .cancelExchange)
        #expect(effects.count == 2)
    }

    @Test func `a redirect whose body breaks off is followed`() {
        var machine = requesting()
        _ = machine.after { $0.receivedHead(head(302, ["Location": "/b", "Content-Length": "5"])) }
        _ = machine.after { $0.redirectAnswered(request) }
        let lost = HTTPError(code: .connectionLost, message: "gone")
        #expect(
            machine.after { $0.exchangeFinished(lost) } == [
                .prepare(.init(transfer: request, redirectCount: 1))
            ]
        )
    }

    @Test func `DL-4: a chain of redirects ends at the 21st`() {
        var machine = requesting()
        for number in 1...20 {
            _ = machine.after { $0.receivedHead(head(302, ["Location": "/\(number)"])) }
            _ = machine.after {
                $0.redirectAnswered(TransferRequest(url: "https://a.example/\(number)"))
            }
            _ = machine.after { $0.prepared() }
        }
        let effects = machine.after { $0.receivedHead(head(302, ["Location": "/21"])) }
        guard case .finish(let error?)? = effects.last else {
            Issue.record("\(effects)")
            return
        }
        #expect(effects.first == .cancelExchange)
        #expect(error.code == .tooManyRedirects)
        // The last one that was asked for.
        #expect(error.failingURL == "https://a.example/20")
    }

    @Test func `a redirect to what cannot be asked for is the server's fault`() {
        let bad = HTTPError(code: .badURL, message: "bad")
        var machine = requesting()
        #expect(machine.after { $0.exchangeFinished(bad) } == [.finish(TransferError(bad))])
        machine = requesting()
        _ = machine.after { $0.receivedHead(head(302, ["Location": "http://other/"])) }
        _ = machine.after { $0.redirectAnswered(request) }
        _ = machine.after { $0.prepared() }
        let effects = machine.after { $0.exchangeFinished(bad) }
        #expect(
            effects == [.finish(TransferError(code: .badServerResponse, message: bad.message))]
        )
    }

    @Test func `OR-7: a redirect that the app does not follow is the answer`() {
        var machine = requesting()
        let redirect = head(302, ["Location": "/b"])
        _ = machine.after { $0.receivedHead(redirect) }
        #expect(
            machine.after { $0.redirectAnswered(nil) } == [
                .reportResponse(redirect, request), .takeBody,
            ]
        )
        #expect(machine.after { $0.exchangeFinished(nil) } == [.finish(nil)])
    }

    @Test func `OR-7: such an answer may have ended before the app has decided`() {
        var machine = requesting()
        let redirect = head(302, ["Location": "/b"])
        _ = machine.after { $0.receivedHead(redirect) }
        #expect(machine.after { $0.exchangeFinished(nil) } == [])
        #expect(
            machine.after { $0.redirectAnswered(nil) }
                == [.reportResponse(redirect, request), .takeBody, .finish(nil)]
        )
    }

    @Test func `DL-4: the twenty-first redirect fails the load`() {
        var machine = requesting()
        for _ in 1...20 {
            _ = machine.after { $0.receivedHead(head(302, ["Location": "/b"])) }
            _ = machine.after { $0.exchangeFinished(nil) }
            _ = machine.after { $0.redirectAnswered(request) }
            _ = machine.after { $0.prepared() }
        }
        let effects = machine.after { $0.receivedHead(head(302, ["Location": "/b"])) }
        guard case .finish(let error?)? = effects.last else {
            Issue.record("\(effects)")
            return
        }
        #expect(error.code == .tooManyRedirects)
    }

    // MARK: - Passwords

    @Test func `OR-11: a response that asks for a password is the answer if the app has none`() {
        var machine = requesting()
        let refusal = head(401, ["WWW-Authenticate": "Basic realm=r"])
        let asked = challenge(machine.after { $0.receivedHead(refusal) })
        #expect(asked?.previousFailureCount == 0)
        #expect(asked?.response == refusal)
        #expect(
            machine.after { $0.challengeAnswered(.performDefaultHandling) } == [
                .reportResponse(refusal, request), .takeBody,
            ]
        )
    }

    @Test(arguments: [true, false])
    func `REL-19: a proxy's 407 to CONNECT is an error, and not the server's response`(
        hasChallenge: Bool
    ) {
        var machine = requesting()
        let refusal = head(407, hasChallenge ? ["Proxy-Authenticate": "Basic realm=r"] : [:])
        var effects = machine.after { $0.receivedHead(refusal, isTunnelRefusal: true) }
        if hasChallenge {
            effects = machine.after { $0.challengeAnswered(.performDefaultHandling) }
        }
        guard case .finish(let error?) = effects.last else {
            Issue.record("It does not fail: \(effects)")
            return
        }
        #expect(error.code == .proxyAuthenticationRequired)
        #expect(effects.count == 2)
        #expect(effects.first == .cancelExchange)
    }

    @Test(arguments: [401, 407])
    func `a password is sent to whom it is for, and refusals are counted`(status: Int) throws {
        let isProxy = status == 407
        var machine = requesting()
        let refusal = head(
            status,
            [isProxy ? "Proxy-Authenticate" : "WWW-Authenticate": "Basic realm=r"]
        )
        for count in 0..<3 {
            let asked = try #require(challenge(machine.after { $0.receivedHead(refusal) }))
            #expect(asked.previousFailureCount == count)
            _ = machine.after { $0.exchangeFinished(nil) }
            _ = machine.after { $0.challengeAnswered(.use(.init(user: "u", password: "\(count)"))) }
            _ = try #require(sent(machine.after { $0.prepared() }))
            let fields = try machine.proofFields(clientNonce: "c")
            #expect(fields.map(\.name) == [isProxy ? "Proxy-Authorization" : "Authorization"])
        }
        let answer = head(200)
        #expect(
            machine.after { $0.receivedHead(answer) } == [
                .reportResponse(answer, request), .takeBody,
            ]
        )
    }

    @Test func `the safest way is asked about first, and the next when that is rejected`() {
        var machine = requesting()
        let refusal = head(
            401,
            [
                "WWW-Authenticate":
                    "Bearer, Basic realm=r, Digest nonce=n, Digest nonce=m, algorithm=SHA-256"
            ]
        )
        var schemes: [String?] = []
        var effects = machine.after { $0.receivedHead(refusal) }
        while case .password(let way, false)? = challenge(effects)?.kind {
            schemes.append(way.parameters["nonce"] ?? way.scheme)
            effects = machine.after { $0.challengeAnswered(.reject) }
        }
        #expect(schemes == ["m", "n", "basic"])
        #expect(effects == [.reportResponse(refusal, request), .takeBody])
    }

    @Test func `a nonce that is too old is replaced without asking the app`() throws {
        var machine = requesting()
        _ = machine.after {
            $0.receivedHead(head(401, ["WWW-Authenticate": "Digest nonce=old, qop=auth"]))
        }
        _ = machine.after { $0.exchangeFinished(nil) }
        _ = machine.after { $0.challengeAnswered(.use(.init(user: "u", password: "p"))) }
        _ = machine.after { $0.prepared() }
        let stale = head(
            401,
            ["WWW-Authenticate": "Digest nonce=new, qop=auth, stale=true", "Content-Length": "0"]
        )
        #expect(machine.after { $0.receivedHead(stale) } == [.skipBody])
        _ = machine.after { $0.exchangeFinished(nil) }
        _ = try #require(sent(machine.after { $0.prepared() }))
        let fields = try machine.proofFields(clientNonce: "c")
        #expect(fields.first?.value.contains("nonce=\"new\"") == true)
    }

    @Test func `a password does not follow a redirect to another origin`() throws {
        var machine = requesting()
        _ = machine.after { $0.receivedHead(head(401, ["WWW-Authenticate": "Basic"])) }
        _ = machine.after { $0.exchangeFinished(nil) }
        _ = machine.after { $0.challengeAnswered(.use(.init(user: "u", password: "p"))) }
        _ = machine.after { $0.prepared() }
        for (target, isSent) in [("https://a.example/b", true), ("https://b.example/", false)] {
            _ = machine.after { $0.receivedHead(head(302, ["Location": target])) }
            _ = machine.after { $0.exchangeFinished(nil) }
            var transfer = request
            transfer.url = target
            _ = machine.after { $0.redirectAnswered(transfer) }
            _ = try #require(sent(machine.after { $0.prepared() }))
            let fields = try machine.proofFields(clientNonce: "c")
            #expect(fields.isEmpty == !isSent)
        }
    }

    @Test func `DL-12: cancelling a challenge fails the load`() {
        var machine = requesting()
        _ = machine.after { $0.receivedHead(head(401, ["WWW-Authenticate": "Basic"])) }
        let effects = machine.after { $0.challengeAnswered(.cancel) }
        #expect(effects.first == .cancelExchange)
        guard case .finish(let error?)? = effects.last else {
            Issue.record("\(effects)")
            return
        }
        #expect(error.code == .cancelled)
    }

    // MARK: - Bodies

    @Test func `DL-7: a body that was sent is needed once more`() {
        var post = request
        post.method = "POST"
        var machine = requesting(post, hasBody: true)
        _ = machine.after { $0.receivedHead(head(307, ["Location": "/b"])) }
        _ = machine.after { $0.exchangeFinished(nil) }
        _ = machine.after { $0.redirectAnswered(post) }
        #expect(machine.after { $0.prepared() } == [.needBody])
        #expect(sent(machine.after { $0.foundBody(true) })?.transfer == post)
        _ = machine.after { $0.exchangeFinished(HTTPError(code: .bodySpent, message: "")) }
        #expect(machine.after { $0.prepared() } == [.needBody])
        guard case .finish(let error?)? = machine.after({ $0.foundBody(false) }).last else {
            Issue.record("it goes on")
            return
        }
        #expect(error.code == .bodySpent)
    }

    @Test func `DL-3: a redirect that makes a GET of it needs no body`() {
        var post = request
        post.method = "POST"
        var machine = requesting(post, hasBody: true)
        _ = machine.after { $0.receivedHead(head(303, ["Location": "/b"])) }
        _ = machine.after { $0.exchangeFinished(nil) }
        _ = machine.after { $0.redirectAnswered(request) }
        #expect(sent(machine.after { $0.prepared() })?.transfer == request)
    }

    // MARK: - Trust

    private func trust(_ verdict: HTTPServerTrust.Verdict) -> HTTPServerTrust {
        HTTPServerTrust(host: "a.example", certificates: [[1, 2]], verdict: verdict)
    }

    @Test func `the app decides whether to trust a server, and is not asked twice`() throws {
        var machine = requesting()
        let trust = trust(.untrusted("self-signed"))
        #expect(machine.decide(on: trust) == .ask)
        let undecided = HTTPError(code: .serverTrustUndecided, message: "")
        let asked = try #require(challenge(machine.after { $0.exchangeFinished(undecided) }))
        #expect(asked.kind == .serverTrust(trust))
        _ = machine.after { $0.challengeAnswered(.trust) }
        #expect(sent(machine.after { $0.prepared() }) != nil)
        #expect(machine.decide(on: trust) == .accept)
        var other = trust
        other.certificates = [[3]]
        #expect(machine.decide(on: other) == .ask)
    }

    @Test(arguments: [LoadChallengeAnswer.performDefaultHandling, .reject])
    func `without a decision of the app the verdict counts`(answer: LoadChallengeAnswer) {
        let undecided = HTTPError(code: .serverTrustUndecided, message: "")
        for verdict in [HTTPServerTrust.Verdict.trusted, .forAnotherHost, .badDate("old")] {
            var machine = requesting()
            _ = machine.decide(on: trust(verdict))
            _ = machine.after { $0.exchangeFinished(undecided) }
            let effects = machine.after { $0.challengeAnswered(answer) }
            if let error = verdict.error {
                #expect(effects == [.finish(TransferError(error))])
            } else {
                #expect(sent(machine.after { $0.prepared() }) != nil)
            }
        }
    }
}
