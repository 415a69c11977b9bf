package import FerryHTTP

/// Who a client is without being asked: to the server of a task's own request, and to no other.
package struct OwnIdentity: Sendable {
    private let identity: HTTPIdentity
    private let origin: Origin

    /// Makes one; `nil` where the address is none.
    ///
    /// - Parameters:
    ///   - identity: Who the client is.
    ///   - url: The task's own address.
    package init?(_ identity: HTTPIdentity, meantFor url: String?) {
        guard let origin = url.flatMap({ Origin(url: $0) }) else { return nil }
        self.identity = identity
        self.origin = origin
    }

    /// Who the client is to the server of a request; `nil` for nobody.
    package func identity(for request: TransferRequest) -> HTTPIdentity? {
        Origin(url: request.url) == origin ? identity : nil
    }
}
