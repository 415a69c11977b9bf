import FerryHTTP
import FerryTestSupport
import FoundationEssentials
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5))) struct DigestFieldTests {
    static let md5 = "CY9rzUYh03PK3k6DJie09g=="
    static let sha256 = "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="

    @Test func `the digests of a field are found, the strongest first`() throws {
        let text = "md5=:\(Self.md5):, unixsum=:AAA=:, sha-256=:\(Self.sha256):"
        let digests = DigestField.digests(in: [text])
        #expect(digests.map(\.algorithm) == [.sha256, .md5])
        #expect(
            digests.first?.description
                == "sha-256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
        )
    }

    @Test func `several lines are one field, and what is there twice counts as it is last`() {
        let other = ":AAAAAAAAAAAAAAAAAAAAAA==:"
        let lines = ["md5=\(other)", "sha-256=:\(Self.sha256):", "md5=:\(Self.md5):"]
        #expect(DigestField.digests(in: lines).count == 2)
        #expect(DigestField.digests(in: lines) == DigestField.digests(in: Array(lines[1...])))
    }

    @Test(
        arguments: [
            "sha-256=:%:", " sha-256=:%:  ", "sha-256=:%:;q=1;w", "a, b;c=\"x,y\", sha-256=:%:",
            "x=(1 \"),\" :AAA=:;p=2);r, sha-256=:%:", "x=1.5,sha-256=:%:,y=?0",
            "x=@12, sha-256=:%:\t",
            "*a-b.c_9=tok/en:, sha-256=:%:",
        ]
    )
    func `what is not a digest does not hide one`(text: String) {
        let field = text.replacing("%", with: Self.sha256)
        #expect(DigestField.digests(in: [field]).map(\.algorithm) == [.sha256])
    }

    @Test(
        arguments: [
            "", "sha-256", "sha-256=", "sha-256=:%", "sha-256=%", "sha-256=\"%\"", "SHA-256=:%:",
            "sha-256=:%:,", ",sha-256=:%:", "sha-256=:%: md5", "sha-256=:%:;", "sha-256=:%:;Q",
            "sha-256=:AAAA:", "sha-256=:%%:", "sha-256=:*%:", "sha-256=:%:, =1",
            "sha-256=:%:, x=(1",
            "sha-256=:%:, x=\"", "sha-256=:%:, x=\"\\x\"", "sha-256 =:%:", "sha-256=::",
            "é, sha-256=:%:",
        ]
    )
    func `a malformed field has no digests`(text: String) {
        let field = text.replacing("%", with: Self.sha256)
        #expect(DigestField.digests(in: [field]).isEmpty)
    }

    @Test func `a response tells of its representation and of its content`() {
        let head = HTTPResponseHead(
            status: 200,
            fields: [
                HTTPField(name: "repr-digest", value: "sha-256=:\(Self.sha256):"),
                HTTPField(name: "Content-Digest", value: "md5=:\(Self.md5):"),
            ],
            url: "http://host/"
        )
        #expect(head.representationDigest?.algorithm == .sha256)
        #expect(head.contentDigest?.algorithm == .md5)
    }
}

extension FixtureContent {
    /// The digest of the bytes, or of a part of them.
    func digest(
        in range: Range<Int64>? = nil,
        by algorithm: Digest.Algorithm = .sha256
    ) throws -> Digest {
        var computation = try MessageDigestComputation(algorithm.function)
        bytes(in: range ?? 0..<byteCount).withUnsafeBytes { computation.update($0) }
        return Digest(algorithm, try computation.finish())
    }
}

extension Digest {
    /// A field that tells the digest.
    func field(_ name: String) -> (name: String, value: String) {
        (name, "\(algorithm.rawValue)=:\(Data(value).base64EncodedString()):")
    }
}
