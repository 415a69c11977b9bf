/// A method of the interface; its value holds a call's parameters.
package protocol TransferMethod: JSONCodable {
    /// What a call is answered with; of a stream, each of its replies.
    associatedtype Reply: JSONCodable

    /// The method's name in the interface, without the interface's.
    static var name: String { get }

    /// Whether a call makes sense only as a stream.
    static var requiresMore: Bool { get }
}

extension TransferMethod {
    /// A method is answered once, unless it says otherwise.
    package static var requiresMore: Bool { false }

    /// The method's name as it stands in messages.
    static var qualifiedName: String { "\(Wire.interface).\(name)" }
}
