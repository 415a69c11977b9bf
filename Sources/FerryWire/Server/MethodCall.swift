/// A call of a method that a client has made, with the means to answer it.
package struct MethodCall<Method: TransferMethod>: Sendable {
    /// The parameters.
    package let parameters: Method
    /// The means to answer it.
    package let reply: Reply<Method>
    /// The connection over which it has come.
    package let connection: VarlinkConnection
}
