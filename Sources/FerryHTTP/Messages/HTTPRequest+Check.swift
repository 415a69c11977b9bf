extension HTTPRequest {
    /// Rejects a request that cannot be sent as it is.
    ///
    /// libcurl would send a field with a line break in it as two fields.
    func checkIsSendable() throws(HTTPError) {
        guard !method.isEmpty, method.utf8.allSatisfy(Self.isTokenByte) else {
            throw HTTPError(code: .invalidRequest, message: "The method “\(method)” is not a token")
        }
        for field in fields {
            guard !field.name.isEmpty, field.name.utf8.allSatisfy(Self.isTokenByte) else {
                throw HTTPError(
                    code: .invalidRequest,
                    message: "The field name “\(field.name)” is not a token"
                )
            }
            guard field.value.utf8.allSatisfy(Self.isFieldByte) else {
                throw HTTPError(
                    code: .invalidRequest,
                    message: "The value of the field “\(field.name)” has a control character in it"
                )
            }
        }
    }

    /// RFC 9110 §5.6.2.
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// RFC 9110 §5.5: no control characters but the tab.
    private static func isFieldByte(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\t") || (byte >= 0x20 && byte != 0x7F)
    }
}
