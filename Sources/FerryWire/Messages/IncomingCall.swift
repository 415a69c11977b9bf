import FerrySystem

/// A call, as it comes over the wire.
struct IncomingCall: Decodable, Sendable {
    /// What is called.
    enum Content: Sendable {
        /// A method of the interface.
        case transfer(CallFactory)
        /// `org.varlink.service.GetInfo`.
        case information
        /// `org.varlink.service.GetInterfaceDescription`, of this interface.
        case description(of: String)
        /// Nothing that there is, or nothing that makes sense.
        case invalid(ServiceError)
    }

    /// Makes the call that a handler sees once it is known where its answer goes.
    typealias CallFactory = @LoopActor @Sendable (PendingCall) -> TransferCall

    enum CodingKeys: CodingKey {
        case method
        case parameters
        case more
        case oneway
        case upgrade
    }

    private struct DescriptionParameters: Decodable {
        var interface: String
    }

    /// What is called.
    let content: Content
    /// Whether the answer may be a stream.
    let wantsMore: Bool
    /// Whether no answer is wanted.
    let isOneway: Bool

    /// A call that was read otherwise.
    init(content: Content, wantsMore: Bool, isOneway: Bool) {
        self.content = content
        self.wantsMore = wantsMore
        self.isOneway = isOneway
    }

    /// Reads a call; parameters of a wrong type make its content invalid, not the message.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let method = try container.decode(String.self, forKey: .method)
        wantsMore = try container.decodeIfPresent(Bool.self, forKey: .more) ?? false
        isOneway = try container.decodeIfPresent(Bool.self, forKey: .oneway) ?? false
        // A connection that becomes something else is of no use here.
        if try container.decodeIfPresent(Bool.self, forKey: .upgrade) ?? false {
            content = .invalid(.methodNotImplemented(method))
            return
        }
        do {
            content = try Self.content(of: method, wantsMore: wantsMore, in: container)
        } catch {
            content = .invalid(.invalidParameter(Self.parameter(in: DecodingProblem(error))))
        }
    }

    private static func content(
        of method: String,
        wantsMore: Bool,
        in container: KeyedDecodingContainer<CodingKeys>
    ) throws -> Content {
        if let decoding = TransferCall.decodings[method] {
            let factory = try decoding.decode(container)
            return decoding.requiresMore && !wantsMore
                ? .invalid(.expectedMore) : .transfer(factory)
        }
        let parts = method.split(separator: ".", omittingEmptySubsequences: false)
        let interface = parts.dropLast().joined(separator: ".")
        switch (interface, parts.last) {
        case (ServiceInformation.interface, "GetInfo"):
            return .information
        case (ServiceInformation.interface, "GetInterfaceDescription"):
            let parameters = try container.decodeParameters(
                DescriptionParameters.self,
                forKey: .parameters
            )
            return .description(of: parameters.interface)
        case (ServiceInformation.interface, _), (Wire.interface, _):
            return .invalid(.methodNotFound(method))
        default:
            return .invalid(.interfaceNotFound(interface))
        }
    }

    /// A parameter's name without that of the message's member that it stands in.
    ///
    /// The decoder does not tell where a number is that the member's type does not have.
    private static func parameter(in problem: DecodingProblem) -> String {
        let message = CodingKeys.parameters.stringValue
        return problem.member.isEmpty
            ? message : String(problem.member.trimmingPrefix("\(message)."))
    }
}
