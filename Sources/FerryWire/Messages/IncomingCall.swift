package import FerrySystem
import FoundationEssentials

/// A call, as it is received over the wire.
struct IncomingCall: Sendable {
    /// The called method, with its parameters.
    enum Content: Sendable {
        /// A method of the interface.
        case transfer(TransferRoute.Call)
        /// `org.varlink.service.GetInfo`.
        case information
        /// `org.varlink.service.GetInterfaceDescription`, of this interface.
        case description(of: String)
        /// An unknown method, or an invalid call.
        case invalid(ServiceError)
    }

    private typealias Reading = (inout JSONInput) throws(JSONInput.Problem) -> Content

    /// The called method, with its parameters.
    private(set) var content: Content
    /// Whether the answer may be a stream.
    private(set) var wantsMore = false
    /// Whether no answer is requested.
    private(set) var isOneway = false

    /// Reads a call; parameters of a wrong type make its content invalid, not the message.
    init(from text: Data) throws(MessageError) {
        self = try MessageCoding.read(text) { (input) throws(JSONInput.Problem) in
            try IncomingCall(from: &input)
        }
    }

    private init(from input: inout JSONInput) throws(JSONInput.Problem) {
        var method: String?
        /// The position of parameters that precede the method, without which they cannot be read.
        var parameters: JSONInput?
        var content: Content?
        var more: Bool?
        var oneway: Bool?
        var upgrade: Bool?
        try input.object { (input, member) throws(JSONInput.Problem) in
            switch member {
            case "method":
                guard method == nil else { throw JSONInput.Problem("it occurs twice") }
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
        // A connection that is upgraded to another protocol is of no use here.
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

/// A file that was passed with a call, and its identity at that time.
package struct PassedFile: Sendable {
    /// The file.
    package let file: UserFile
    /// The file's identity and state; `nil` if it is not a regular file.
    package let identity: Result<FileIdentity?, SystemCallError>

    /// Inspects a file, which may block forever.
    init(inspecting file: UserFile) {
        self.file = file
        identity = Result { () throws(SystemCallError) in
            try file.withDescriptor { (file) throws(SystemCallError) in
                try file.status().isRegularFile ? try file.identity() : nil
            }
        }
    }
}
