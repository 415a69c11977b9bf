import FerryHTTP
import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

extension TaskRecord {
    /// The request to send: the task's own, the one that its application chose instead when the task was to begin, or
    /// the one with the resource's latest address.
    var requestToSend: Wire.Request? { replacement ?? request.value }

    /// The request that replaces the task's own, if any.
    var replacement: Wire.Request? { link?.value?.request ?? delay?.value?.request }

    /// The address that the task was made with; everything that belongs to its session is meant for that origin alone.
    var ownURL: String? { request.value.map { $0.madeFor ?? $0.url } }

    /// Returns the request to send for the task.
    ///
    /// - Parameters:
    ///   - request: The task's request, or its replacement.
    ///   - fields: The session's fields; the request's own come first.
    /// - Returns: The request.
    func transferRequest(
        _ request: Wire.Request,
        adding fields: [Wire.Field]
    ) -> TransferRequest {
        self.request(request).adding(fields)
    }

    /// Returns the task's request, or its replacement, with the address that the task was made for.
    func request(_ request: Wire.Request) -> TransferRequest {
        var made = TransferRequest(request)
        made.madeFor = replacement == nil ? request.madeFor ?? request.url : ownURL
        return made
    }
}

extension Wire.Request {
    /// The member for which it could not be sent, and why; `nil` if it can.
    var contradiction: (member: String, reason: String)? {
        if let fault = Origin.fault(of: url) { return ("url", fault) }
        guard method.isToken else { return ("method", "not a method: \(method.prefix(50))") }
        for field in fields {
            guard field.name.isToken else {
                return ("fields", "not the name of a field: \(field.name.prefix(50))")
            }
            // RFC 9110 §5.5; the value may be secret.
            guard field.value.utf8.allSatisfy({ ![0, 0x0A, 0x0D].contains($0) }) else {
                return ("fields", "the value of \(field.name) has a line break or a NUL")
            }
        }
        return nil
    }
}

extension String {
    /// Whether this is a token (RFC 9110 §5.6.2).
    fileprivate var isToken: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
