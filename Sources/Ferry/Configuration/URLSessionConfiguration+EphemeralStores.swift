import FoundationNetworking
import Synchronization

extension URLSessionConfiguration {
    /// The stores of an ephemeral configuration and its copies, made when first asked for.
    final class EphemeralStores: Sendable {
        private let configuration = Mutex<FoundationNetworking.URLSessionConfiguration?>(nil)

        var cookies: HTTPCookieStorage? { stores { $0.httpCookieStorage } }
        var credentials: URLCredentialStorage? { stores { $0.urlCredentialStorage } }
        var cache: URLCache? { stores { $0.urlCache } }

        // Foundation makes stores without a file only for its own ephemeral configuration.
        private func stores<Storage: Sendable>(
            _ storage: (FoundationNetworking.URLSessionConfiguration) -> Storage?
        ) -> Storage? {
            configuration.withLock { configuration in
                let present = configuration ?? .ephemeral
                configuration = present
                return storage(present)
            }
        }
    }
}
