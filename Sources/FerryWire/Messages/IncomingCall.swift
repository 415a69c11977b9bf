package import FerrySystem
import FoundationEssentials

/// A call, as it comes over the wire.
struct IncomingCall: Sendable {
    /// What is called.
    enum Content: Sendable {
        /// A method of the interface.
        case transfer(TransferRoute.Call)
        /// `org.varlink.service.GetInfo`.
        case information
        /// `org.varlink.service.GetInterfaceDescription`, of this interface.
        case description(of: String)
        /// Nothing that there is, or nothing that makes sense.
        case invalid(ServiceError)
    }

    private typealias Reading = (inout JSONInput) throws(JSONInput.Problem) -> Content

    /// What is called.
    private(set) var content: Content
    /// Whether the answer may be a stream.
    private(set) var wantsMore = false
    /// Whether no answer is wanted.
    private(set) var isOneway = false

    /// Reads a call; parameters of a wrong type make its content invalid, not the message.
    init(from text: Data) throws(MessageError) {
        self = try MessageCoding.read(text) { (input) throws(JSONInput.Problem) in
            try IncomingCall(from: &input)
        }
    }

    private init(from input: inout JSONInput) throws(JSONInput.Problem) {
        var method: String?
        /// Where the parameters are that come before the method, by which they are read.
        var parameters: JSONInput?
        var content: Content?
        var more: Bool?
        var oneway: Bool?
        var upgrade: Bool?
        try input.object { (input, member) throws(JSONInput.Problem) in
            switch member {
            case "method":
                guard method == nil else { throw JSONInput.Problem("it is there twice") }
                method = try input.string()
            case "parameters" where !input.isNull:
                parameters = input
                content = nil
                guard let method else { return try input.skip() }
                content = try Self.content(of: method, &input)
            case "more": more = try input.value()
            case "oneway": oneway = try input.value()
            case "upgrade": upgrade = try input.value()
            default: try input.skip()
            }
        }
        let name = try input.required(method, "method")
        wantsMore = more ?? false
        isOneway = oneway ?? false
        if let content {
            self.content = content
        } else {
            var rest = parameters ?? .emptyObject
            self.content = try Self.content(of: name, &rest)
        }
        // A connection that becomes something else is of no use here.
        if upgrade ?? false { self.content = .invalid(.methodNotImplemented(name)) }
        if case .transfer(let call) = self.content, call.requiresMore, !wantsMore {
            self.content = .invalid(.expectedMore)
        }
    }

    /// Reads the parameters of a method.
    private static func content(
        of method: String,
        _ input: inout JSONInput
    ) throws(JSONInput.Problem) -> Content {
        let reading = reading(of: method)
        switch try input.attempt(reading) {
        case .success(let content): return content
        case .failure(let problem):
            return .invalid(
                .invalidParameter(problem.member.isEmpty ? "parameters" : problem.member)
            )
        }
    }

    private static func reading(of method: String) -> Reading {
        if let route = TransferRoute.byMethod[method] {
            return { (input) throws(JSONInput.Problem) in .transfer(try route.read(&input)) }
        }
        let parts = method.split(separator: ".", omittingEmptySubsequences: false)
        let interface = parts.dropLast().joined(separator: ".")
        switch (interface, parts.last) {
        case (ServiceInformation.interface, "GetInfo"):
            return skipping(.information)
        case (ServiceInformation.interface, "GetInterfaceDescription"):
            return description(from:)
        case (ServiceInformation.interface, _), (Wire.interface, _):
            return skipping(.invalid(.methodNotFound(method)))
        default:
            return skipping(.invalid(.interfaceNotFound(interface)))
        }
    }

    private static func skipping(_ content: Content) -> Reading {
        { (input) throws(JSONInput.Problem) in
            try input.skip()
            return content
        }
    }

    private static func description(
        from input: inout JSONInput
    ) throws(JSONInput.Problem) -> Content {
        var interface: String?
        try input.object { (input, member) throws(JSONInput.Problem) in
            switch member {
            case "interface": interface = try input.value()
            default: try input.skip()
            }
        }
        return .description(of: try input.required(interface, "interface"))
    }
}

/// A file that has come along with a call, and what it was then.
package struct PassedFile: Sendable {
    /// The file.
    package let file: UserFile
    /// Which file it is, and its state; `nil` for what is no regular file.
    package let identity: Result<FileIdentity?, SystemCallError>

    /// Looks at a file, which may take for ever.
    init(inspecting file: UserFile) {
        self.file = file
        identity = Result { () throws(SystemCallError) in
            try file.withDescriptor { (file) throws(SystemCallError) in
                try file.status().isRegularFile ? try file.identity() : nil
            }
        }
    }
}
