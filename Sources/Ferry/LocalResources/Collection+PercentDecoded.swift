extension Collection<UInt8> {
    /// The bytes that a part of a URL represents; a percent sign that does not begin an escape represents itself.
    ///
    /// Foundation's `removingPercentEncoding` rejects bytes that are not UTF-8; here any bytes are allowed.
    var percentDecoded: [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(count)
        var rest = self[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap(\.hexadecimalValue)
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                decoded.append(digits[0] << 4 | digits[1])
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return decoded
    }
}

extension UInt8 {
    fileprivate var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
