import FerryHTTP
import FerryTestSupport
import FoundationEssentials

@testable import FerryTransfer

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
