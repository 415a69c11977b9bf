import Foundation
import FoundationNetworking

/// A class of the app's that can load a request.
struct ProtocolClass: @unchecked Sendable {
    // @unchecked because a metatype is never changed.
    let type: URLProtocol.Type

    /// The first of a session's classes that says it can load a request.
    init?(for request: URLRequest, configuration: URLSessionConfiguration.Values) {
        let types = (configuration.protocolClasses.value ?? []).compactMap {
            $0 as? URLProtocol.Type
        }
        guard let type = types.first(where: { $0.canInit(with: request) }) else { return nil }
        self.type = type
    }
}
