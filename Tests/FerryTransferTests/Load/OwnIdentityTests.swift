import FerryHTTP
import FerrySystem
import Testing

@testable import FerryTransfer

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
