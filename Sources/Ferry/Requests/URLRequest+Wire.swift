import FerryHTTP
import FerryTransfer
import FerryWire
import Foundation
import FoundationNetworking

extension URLRequest {
    /// Creates a request as the daemon reports it.
    init(_ request: Wire.Request) {
        self.init(TransferRequest(request))
    }

    /// Creates a request as the daemon passes it on.
    init(_ request: Encoded<Wire.Request>) { self.init(request.value ?? .unreadable) }
}
