import FerryHTTP
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5))) struct AuthenticationChallengeTests {
    private func challenges(
        _ values: String...,
        proxy: Bool = false
    ) -> [AuthenticationChallenge] {
        let name = proxy ? "Proxy-Authenticate" : "www-authenticate"
        let head = HTTPResponseHead(
            status: proxy ? 407 : 401,
            fields: values.map { HTTPField(name: name, value: $0) },
            url: "http://a/"
        )
        return AuthenticationChallenge.all(in: head, forProxy: proxy)
    }

    @Test func `a challenge has a scheme and parameters`() {
        #expect(
            challenges("Basic realm=\"The \\\"back\\\" room\", charset=UTF-8") == [
                AuthenticationChallenge(
                    scheme: "basic",
                    parameters: ["realm": "The \"back\" room", "charset": "UTF-8"]
                )
            ]
        )
    }

    @Test func `a field may have several challenges, and several fields may be there`() {
        let value =
            "Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\", please\", Basic realm=simple"
        let found = challenges(value, "Digest qop=\"auth, auth-int\",nonce=x , realm = \"y\"")
        #expect(found.map(\.scheme) == ["newauth", "basic", "digest"])
        #expect(found[0].parameters["title"] == "Login to \"apps\", please")
        #expect(found.map(\.realm) == ["apps", "simple", "y"])
        #expect(found[2].parameters["qop"] == "auth, auth-int")
    }

    @Test(arguments: ["Basic", "Basic ", " , Basic,", "BASIC"])
    func `a challenge may come without a realm`(value: String) {
        #expect(challenges(value) == [AuthenticationChallenge(scheme: "basic")])
    }

    @Test func `Base64 behind a scheme is no parameter`() {
        let found = challenges("Negotiate YII/+Q==, Basic realm=x", "NTLM TlRM=")
        #expect(found.map(\.scheme) == ["negotiate", "basic", "ntlm"])
        #expect(found.map(\.realm) == [nil, "x", nil])
    }

    @Test(arguments: ["", ",,", "=", "\"", "Basic realm=\"", "Digest nonce=\"a\\"])
    func `what cannot be read does no harm`(value: String) {
        #expect(challenges(value).allSatisfy { $0.parameters.isEmpty })
    }

    @Test func `the first parameter of a name counts`() {
        #expect(challenges("Basic realm=a, Realm=b").first?.realm == "a")
    }

    @Test func `a proxy's challenges have a field of their own`() {
        #expect(challenges("Basic realm=p", proxy: true).first?.realm == "p")
        let head = HTTPResponseHead(
            status: 401,
            fields: [HTTPField(name: "Proxy-Authenticate", value: "Basic")],
            url: "http://a/"
        )
        #expect(AuthenticationChallenge.all(in: head).isEmpty)
    }
}
