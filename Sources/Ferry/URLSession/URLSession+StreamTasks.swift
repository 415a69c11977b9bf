/// A task that reads and writes a TCP connection.
///
/// - Important: There are no stream tasks on Linux: use a library for sockets, such as SwiftNIO.
@available(
    *,
    unavailable,
    message: "There are no stream tasks on Linux; use a library for sockets."
)
open class URLSessionStreamTask: URLSessionTask, @unchecked Sendable {}

extension URLSession {
    /// Not available on Linux.
    ///
    /// - Parameters:
    ///   - hostname: The host.
    ///   - port: Its port.
    /// - Returns: Nothing.
    @available(
        *,
        unavailable,
        message: "There are no stream tasks on Linux; use a library for sockets."
    )
    public func streamTask(withHostName hostname: String, port: Int) -> URLSessionStreamTask {
        preconditionFailure("There are no stream tasks on Linux.")
    }
}
