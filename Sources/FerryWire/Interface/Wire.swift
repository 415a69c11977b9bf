/// The types of the interface `io.ferry.Transfer`, by the names that the interface gives them.
///
/// `scripts/interface` writes them from the interface's text. They are in a namespace because one of them is called
/// `Task`, as everywhere else in Ferry, and would hide Swift's `Task` in every file that imports this module.
package enum Wire {
    /// The interface's name, which precedes its methods' and errors' names in messages.
    package static let interface = "io.ferry.Transfer"

    /// The interface's version, a number that is one greater after each change that either end must know of: a method, a
    /// member or a meaning that has gone or become another.
    ///
    /// New methods, and new members that may be missing, are no such change: each end ignores members that it does not
    /// know, and a method that it does not know is an error that the other end expects.
    package static let version = 1

    /// The interface's text, as `GetInterfaceDescription` answers it: that of `io.ferry.Transfer.varlink`.
    ///
    /// It is part of the program: a program that had to find a file could fail to describe itself.
    package static let description = String(
        decoding: PackageResources.io_ferry_Transfer_varlink,
        as: UTF8.self
    )

    /// A reply that only says that a call was carried out.
    package struct Empty: JSONCodable {
        /// Makes the reply.
        package init() {}

        /// Writes an object without members.
        package func write(to output: inout JSONOutput) { output.object { _ in } }

        /// Reads an object; its members, of a newer version, are ignored.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            try input.object { (input, _) throws(JSONInput.Problem) in try input.skip() }
        }
    }
}

/// A method of the interface; its value holds a call's parameters.
package protocol TransferMethod: JSONCodable {
    /// The reply to a call; for a stream, each of its replies.
    associatedtype Reply: JSONCodable

    /// The method's name in the interface, without the interface's.
    static var name: String { get }

    /// Whether a call makes sense only as a stream.
    static var requiresMore: Bool { get }
}

extension TransferMethod {
    /// A method is answered once, unless it declares otherwise.
    package static var requiresMore: Bool { false }

    /// The method's name as it appears in messages.
    static var qualifiedName: String { "\(Wire.interface).\(name)" }
}
