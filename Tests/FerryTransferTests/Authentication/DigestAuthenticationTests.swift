import FerryHTTP
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5))) struct DigestAuthenticationTests {
    private let mufasa = PasswordCredential(user: "Mufasa", password: "Circle of Life")

    private func parameters(_ value: String) -> [String: String] {
        var parser = AuthenticationChallengeParser(value)
        return parser.challenges().first?.parameters ?? [:]
    }

    /// What a user u with the password p answers to a server's challenge, when it asks for / with the nonce c.
    private func answer(to challenge: [String: String]) throws -> [String: String] {
        let challenge = AuthenticationChallenge(scheme: "digest", parameters: challenge)
        var digest = try #require(DigestAuthentication(challenge))
        let value = try digest.value(
            for: PasswordCredential(user: "u", password: "p"),
            method: "GET",
            target: "/",
            clientNonce: "c"
        )
        return parameters(value)
    }

    /// RFC 7616 §3.9.1.
    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ])
    func `the standard's examples have its responses`(
        algorithm: String,
        response: String
    ) throws {
        let challenge = AuthenticationChallenge(
            scheme: "digest",
            parameters: [
                "realm": "http-auth@example.org", "qop": "auth, auth-int", "algorithm": algorithm,
                "nonce": "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
                "opaque": "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS",
            ]
        )
        var digest = try #require(DigestAuthentication(challenge))
        let value = try digest.value(
            for: mufasa,
            method: "GET",
            target: "/dir/index.html",
            clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
        )
        #expect(value.hasPrefix("Digest "))
        let parts = parameters(value)
        #expect(parts["response"] == response)
        #expect(parts["username"] == "Mufasa")
        #expect(parts["nc"] == "00000001")
        #expect(parts["qop"] == "auth")
        #expect(parts["uri"] == "/dir/index.html")
        #expect(parts["opaque"] == "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS")
        #expect(parts["algorithm"] == algorithm)
    }

    @Test func `each request is counted`() throws {
        let challenge = AuthenticationChallenge(
            scheme: "digest",
            parameters: ["nonce": "n", "qop": "auth"]
        )
        var digest = try #require(DigestAuthentication(challenge))
        var counts: [String?] = []
        for _ in 1...17 {
            let value = try digest.value(
                for: mufasa,
                method: "GET",
                target: "/",
                clientNonce: "c"
            )
            counts.append(parameters(value)["nc"])
        }
        #expect(counts.first == "00000001")
        #expect(counts.last == "00000011")
    }

    /// The form of RFC 2069, which has no `qop`; the values were made with openssl.
    @Test func `a server without a quality of protection gets none`() throws {
        let answer = try answer(to: ["realm": "r", "nonce": "n"])
        let secret = try MessageDigest.md5.hexadecimal(of: "u:r:p")
        let request = try MessageDigest.md5.hexadecimal(of: "GET:/")
        let response = try MessageDigest.md5.hexadecimal(of: "\(secret):n:\(request)")
        #expect(answer["response"] == response)
        #expect(answer["qop"] == nil)
        #expect(answer["cnonce"] == nil)
    }

    /// RFC 7616 §3.4.2: the nonces of the session are part of the secret.
    @Test(arguments: [
        ("MD5-sess", MessageDigest.md5), ("SHA-256-sess", .sha256),
        ("SHA-512-256-sess", .sha512t256),
    ])
    func `a secret may be bound to a session`(algorithm: String, function: MessageDigest) throws {
        let answer = try answer(to: [
            "realm": "r", "nonce": "n", "qop": "auth", "algorithm": algorithm,
        ])
        let own = try function.hexadecimal(of: "u:r:p")
        let secret = try function.hexadecimal(of: "\(own):n:c")
        let request = try function.hexadecimal(of: "GET:/")
        let proof = "\(secret):n:00000001:c:auth:\(request)"
        #expect(answer["response"] == (try function.hexadecimal(of: proof)))
        #expect(answer["algorithm"] == algorithm)
    }

    /// RFC 7616 §3.9.2, whose user has a name beyond ASCII, hashed.
    @Test func `a user's name may be hashed`() throws {
        let challenge = AuthenticationChallenge(
            scheme: "digest",
            parameters: [
                "realm": "api@example.org", "qop": "auth", "algorithm": "SHA-512-256",
                "nonce": "5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK",
                "opaque": "HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", "userhash": "true",
            ]
        )
        var digest = try #require(DigestAuthentication(challenge))
        let value = try digest.value(
            for: PasswordCredential(user: "J\u{E4}s\u{F8}n Doe", password: "Secret, or not?"),
            method: "GET",
            target: "/doe.json",
            clientNonce: "NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm"
        )
        let parts = parameters(value)
        #expect(parts["userhash"] == "true")
        #expect(parts["username"]?.count == 64)
        #expect(parts["response"]?.count == 64)
    }

    @Test func `a name beyond ASCII has a form of its own`() throws {
        let challenge = AuthenticationChallenge(
            scheme: "digest",
            parameters: ["nonce": "n", "qop": "auth"]
        )
        var digest = try #require(DigestAuthentication(challenge))
        let value = try digest.value(
            for: PasswordCredential(user: "J\u{E4}n", password: "p"),
            method: "GET",
            target: "/",
            clientNonce: "c"
        )
        #expect(value.contains("username*=UTF-8''J%C3%A4n"))
    }

    @Test(arguments: [
        ["nonce": "n", "algorithm": "ROT13"], ["nonce": "n", "qop": "auth-int"], ["realm": "r"],
    ])
    func `what is not done here is no challenge`(parameters: [String: String]) {
        let challenge = AuthenticationChallenge(scheme: "digest", parameters: parameters)
        #expect(DigestAuthentication(challenge) == nil)
    }

    @Test func `a stale nonce says nothing against the password`() throws {
        let stale = AuthenticationChallenge(
            scheme: "digest",
            parameters: ["nonce": "n", "stale": "TRUE"]
        )
        #expect(try #require(DigestAuthentication(stale)).isStale)
    }

    @Test func `a basic credential is name and password in Base64`() {
        let credential = PasswordCredential(user: "Aladdin", password: "open sesame")
        #expect(
            BasicAuthentication.value(for: credential) == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
        )
        #expect(
            BasicAuthentication.value(for: PasswordCredential(user: "a:b", password: "")) == nil
        )
        #expect("\(credential)" == "user Aladdin")
    }

    @Test(arguments: ["a\"\u{301}, uri=\"x", "\\\u{301}", "\"\u{200D}\\"])
    func `a server gets its texts back as it sent them, whatever stands on their quotes`(
        text: String
    ) throws {
        let challenge = AuthenticationChallenge(
            scheme: "digest",
            parameters: ["realm": text, "nonce": text, "opaque": text]
        )
        var digest = try #require(DigestAuthentication(challenge))
        let value = try digest.value(for: mufasa, method: "GET", target: "/", clientNonce: "n")
        let parts = parameters(value)
        for name in ["realm", "nonce", "opaque"] {
            #expect(parts[name].map { Array($0.utf8) } == Array(text.utf8))
        }
        #expect(parts["uri"] == "/")
    }
}
