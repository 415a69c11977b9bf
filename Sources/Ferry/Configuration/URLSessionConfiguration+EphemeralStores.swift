import FoundationNetworking
import Synchronization

extension URLSessionConfiguration {
    /// The stores of an ephemeral configuration and its copies, made when first asked for.
    final class EphemeralStores: Sendable {
        private let configuration = Mutex<FoundationNetworking.URLSessionConfiguration?>(nil)
        private let memoryCache = Mutex<URLCache?>(nil)

        var cookies: HTTPCookieStorage? { stores { $0.httpCookieStorage } }
        var credentials: URLCredentialStorage? { stores { $0.urlCredentialStorage } }

        // Foundation's ephemeral cache uses the directory of the shared cache: it finds the responses there, and
        // removes them when it is emptied. A path that cannot be created makes a cache without a directory.
        var cache: URLCache? {
            memoryCache.withLock { cache in
                let present =
                    cache
                    ?? URLCache(
                        memoryCapacity: 4 << 20,
                        diskCapacity: 0,
                        diskPath: "/dev/null/cache"
                    )
                cache = present
                return present
            }
        }

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
