/// What is wrong with JSON, and where.
struct DecodingProblem: Hashable, Sendable, CustomStringConvertible {
    /// The way to the member, such as `request.fields[1].name`; empty for the whole.
    let member: String
    /// What is wrong with it.
    let reason: String

    /// Reads an error of an encoder or decoder.
    init(_ error: any Error) {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            self.init(context.codingPath + [key], "it is missing")
        case DecodingError.valueNotFound(_, let context):
            self.init(context.codingPath, "it is null")
        case DecodingError.typeMismatch(_, let context):
            self.init(context.codingPath, context.debugDescription)
        case DecodingError.dataCorrupted(let context):
            self.init(context.codingPath, context.debugDescription)
        case EncodingError.invalidValue(_, let context):
            self.init(context.codingPath, context.debugDescription)
        default:
            self.init([], "\(error)")
        }
    }

    private init(_ path: [any CodingKey], _ reason: String) {
        var member = ""
        for key in path {
            if let index = key.intValue {
                member += "[\(index)]"
            } else {
                member += member.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        self.member = member
        self.reason = reason
    }

    /// The member and what is wrong with it.
    var description: String { member.isEmpty ? reason : "\(member): \(reason)" }
}
