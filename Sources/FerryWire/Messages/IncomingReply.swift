import FoundationEssentials

/// A reply, as it is received over the wire.
struct IncomingReply<Value: JSONCodable>: Sendable {
    /// The method's reply, or the reason why there is none.
    let result: Result<Value, CallError>
    /// Whether more replies to the same call follow; none does after an error.
    let continues: Bool

    /// Reads a reply.
    init(from text: Data) throws(MessageError) {
        self = try MessageCoding.read(text) { (input) throws(JSONInput.Problem) in
            try IncomingReply(from: &input)
        }
    }

    private init(from input: inout JSONInput) throws(JSONInput.Problem) {
        var error: String?
        var value: Result<Value, JSONInput.Problem>?
        /// The position of the parameters: those of an error are read when its name is known.
        var parameters: JSONInput?
        var continues: Bool?
        try input.object { (input, member) throws(JSONInput.Problem) in
            switch member {
            case "error": error = try input.value()
            case "parameters" where !input.isNull:
                parameters = input
                value = try input.attempt { (input) throws(JSONInput.Problem) in
                    try Value(from: &input)
                }
            case "continues": continues = try input.value()
            default: try input.skip()
            }
        }
        if let error {
            result = .failure(CallError(ErrorMessage(named: error, parameters)))
            self.continues = false
            return
        }
        self.continues = continues ?? false
        if let value {
            result = .success(try value.get())
        } else {
            var none = JSONInput.emptyObject
            result = .success(try Value(from: &none))
        }
    }
}

/// An error reply, as it is sent over the wire.
enum ErrorMessage: Hashable, Sendable {
    /// An error of the interface.
    case transfer(TransferInterfaceError)
    /// An error that every service has.
    case service(ServiceError)
    /// One that this version does not know, or cannot read.
    case unknown(name: String)

    /// The error's name, preceded by its interface's.
    var name: String {
        switch self {
        case .transfer(let error): "\(Wire.interface).\(error.name)"
        case .service(let error): "\(ServiceInformation.interface).\(error.name)"
        case .unknown(let name): name
        }
    }

    /// Reads the error with a name; missing or invalid parameters do not hide the name.
    init(named name: String, _ parameters: JSONInput?) {
        var input = parameters ?? .emptyObject
        self = (try? ErrorMessage(reading: name, from: &input)) ?? .unknown(name: name)
    }

    private init?(reading name: String, from input: inout JSONInput) throws(JSONInput.Problem) {
        if name.hasPrefix("\(Wire.interface).") {
            let own = name.dropFirst(Wire.interface.count + 1)
            guard let error = try TransferInterfaceError(named: own, from: &input) else {
                return nil
            }
            self = .transfer(error)
        } else if name.hasPrefix("\(ServiceInformation.interface).") {
            let own = name.dropFirst(ServiceInformation.interface.count + 1)
            guard let error = try ServiceError(named: own, from: &input) else { return nil }
            self = .service(error)
        } else {
            return nil
        }
    }

    /// Writes the members of the message.
    func write(to output: inout JSONOutput) {
        output.member("error", name)
        output.name("parameters")
        switch self {
        case .transfer(let error): error.write(to: &output)
        case .service(let error): error.write(to: &output)
        case .unknown: output.object { _ in }
        }
    }
}
