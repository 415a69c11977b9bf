public import Foundation

extension TransferOptions {
    /// The value of a hash function over the bytes of a file.
    public struct Digest: Hashable, Sendable {
        /// The hash functions; their raw values are the names in the registry of RFC 9530.
        public enum Algorithm: String, Hashable, Sendable, CaseIterable {
            /// SHA-512.
            case sha512 = "sha-512"
            /// SHA-256.
            case sha256 = "sha-256"
            /// SHA-1: it detects damage, but not forgery.
            case sha1 = "sha"
            /// MD5: it detects damage, but not forgery.
            case md5

            /// The number of bytes in its values.
            public var byteCount: Int {
                switch self {
                case .sha512: 64
                case .sha256: 32
                case .sha1: 20
                case .md5: 16
                }
            }
        }

        /// The hash function.
        public let algorithm: Algorithm
        /// Its value.
        public let value: Data

        /// Creates a digest from its parts; nil if the value's length is not that of the algorithm.
        public init?(_ algorithm: Algorithm, _ value: Data) {
            guard value.count == algorithm.byteCount else { return nil }
            self.algorithm = algorithm
            self.value = value
        }

        /// Creates a digest from the output of programs like `sha256sum`; nil for anything else.
        ///
        /// - Parameters:
        ///   - algorithm: The hash function.
        ///   - hexadecimal: The value in hexadecimal digits, of either case.
        public init?(_ algorithm: Algorithm, hexadecimal: String) {
            let digits = Array(hexadecimal.utf8)
            guard digits.count == algorithm.byteCount * 2 else { return nil }
            var value = Data(capacity: algorithm.byteCount)
            for index in stride(from: 0, to: digits.count, by: 2) {
                guard let high = Self.number(digits[index]),
                    let low = Self.number(digits[index + 1])
                else { return nil }
                value.append(high << 4 | low)
            }
            self.init(algorithm, value)
        }

        /// Returns a SHA-256 digest from hexadecimal digits; nil for anything else.
        public static func sha256(hexadecimal: String) -> Digest? {
            Digest(.sha256, hexadecimal: hexadecimal)
        }

        /// The value in lower-case hexadecimal digits.
        public var hexadecimal: String {
            value.map { byte in
                let digits = String(byte, radix: 16)
                return byte < 16 ? "0\(digits)" : digits
            }.joined()
        }

        private static func number(_ digit: UInt8) -> UInt8? {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
            default: nil
            }
        }
    }
}
