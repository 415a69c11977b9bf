package import FerryHTTP
package import FerrySystem

/// Has a server forget an upload that was given up; the result is ignored.
///
/// It uses the app's decider only to make the request one of the app's, and asks nothing.
@LoopActor
package final class UploadTermination {
    package let decider: (any LoadDecider)?
    private let ownIdentity: OwnIdentity?

    init(decider: (any LoadDecider)?, as ownIdentity: OwnIdentity? = nil) {
        self.decider = decider
        self.ownIdentity = ownIdentity
    }

    /// Has a server forget an upload that is not running.
    ///
    /// - Parameters:
    ///   - resource: The resource that the server has created for it.
    ///   - request: The request that the upload was made with.
    ///   - ownIdentity: The client's identity.
    ///   - client: The client that sends the request.
    package static func request(
        _ resource: UploadResource,
        of request: TransferRequest,
        as ownIdentity: OwnIdentity? = nil,
        by client: HTTPClient
    ) {
        guard resource.tus?.terminates ?? true else { return }
        let farewell = UploadTermination(decider: nil, as: ownIdentity)
        let fields = resource.language.versionFields
        Load(
            request: request.uploadRequest(to: resource.url, method: "DELETE", adding: fields),
            client: client,
            decider: farewell,
            receiver: farewell
        ).start()
    }
}

extension UploadTermination: LoadReceiver {
    package func load(
        _ load: Load,
        didReceive head: HTTPResponseHead,
        to request: TransferRequest
    ) -> HTTPBodyDisposition { .discard }

    package func load(_ load: Load, didReceive bytes: UnsafeRawBufferPointer) -> HTTPBodyDisposition
    {
        .discard
    }

    package func load(_ load: Load, didFinishWith error: TransferError?) {}
}

extension UploadTermination: ForwardingDecider {
    package func load(_ load: Load, identityFor request: TransferRequest) -> HTTPIdentity? {
        ownIdentity?.identity(for: request) ?? decider?.load(load, identityFor: request)
    }

    /// Follows only redirects that keep the method, as the protocol does.
    package func load(
        _ load: Load,
        mayRedirectTo request: TransferRequest,
        for head: HTTPResponseHead,
        then follow: @escaping @LoopActor (TransferRequest?) -> Void
    ) { follow([307, 308].contains(head.status) ? request : nil) }
}
