import FerrySystem
import Foundation
import FoundationNetworking

/// A class of the app's that can load a request.
struct ProtocolClass: @unchecked Sendable {
    // @unchecked because a metatype is never changed.
    let type: URLProtocol.Type

    /// Where classes are asked whose answer nobody waits for: not on the loop, as they may take their time.
    static let queue = BlockingQueue(label: "ferry.classes")

    /// The first of a session's classes that says it can load a request.
    init?(for request: URLRequest, configuration: URLSessionConfiguration.Values) {
        let types = (configuration.protocolClasses.value ?? []).compactMap {
            $0 as? URLProtocol.Type
        }
        guard let type = types.first(where: { $0.canInit(with: request) }) else { return nil }
        self.type = type
    }
}
