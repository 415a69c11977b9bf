import FoundationEssentials

@testable import FerryTransfer

extension FuzzTarget {
    /// What a server says of its bytes is a digest for each function at most, of the length that it has.
    static let digests = FuzzTarget("digests") { input throws(Finding) in
        let lines = input.lines
        let digests = DigestField.digests(in: lines)
        guard !digests.isEmpty else { return }
        let strongestFirst = Digest.Algorithm.allCases.filter { algorithm in
            digests.contains { $0.algorithm == algorithm }
        }
        try expectSame(digests.map(\.algorithm), strongestFirst, "the functions")
        for digest in digests {
            try expectSame(digest.value.count, digest.algorithm.byteCount, "the bytes of a value")
        }
        let written = digests.map { digest in
            "\(digest.algorithm.rawValue)=:\(Data(digest.value).base64EncodedString()):"
        }
        try expectSame(DigestField.digests(in: written), digests, "\(lines) written as \(written)")
        // What stands around them is no matter.
        for others in [["a;b=1"] + lines, lines + ["z=(:AA==: \"x\")"]] {
            try expectSame(DigestField.digests(in: others), digests, "among others: \(others)")
        }
    }
}
