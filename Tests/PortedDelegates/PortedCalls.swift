import Ferry
import Foundation

/// Calls as they stand in programs for Apple's systems, which have to compile; each says what it has found.
package enum PortedCalls {
    package static func caches() -> (memory: Int, disk: Int) {
        let cache = URLCache()
        return (cache.memoryCapacity, cache.diskCapacity)
    }

    /// Sends a ping and waits for its pong.
    package static func ping(_ task: URLSessionWebSocketTask) async throws {
        try await task.sendPing()
    }

    /// A request that has every property of Apple's changed.
    package static func request(_ url: URL) -> URLRequest {
        var request = URLRequest(url: url)
        request.allowsCellularAccess = false
        request.allowsExpensiveNetworkAccess = false
        request.allowsConstrainedNetworkAccess = false
        request.allowsUltraConstrainedNetworkAccess = false
        request.assumesHTTP3Capable = true
        request.attribution = .user
        request.requiresDNSSECValidation = true
        request.allowsPersistentDNS = true
        request.cookiePartitionIdentifier = "part"
        return request
    }

    /// Sets the versions of TLS by their older names, and reads them by the newer ones.
    package static func versions() -> [URLSessionConfiguration] {
        let limits: [(SSLProtocol, SSLProtocol)] = [
            (.tlsProtocol12, .tlsProtocol13), (.tlsProtocol1, .tlsProtocol11),
            (.sslProtocolUnknown, .tlsProtocolMaxSupported), (.sslProtocol3, .sslProtocolAll),
        ]
        return limits.map { oldest, newest in
            let configuration = URLSessionConfiguration.ephemeral
            configuration.tlsMinimumSupportedProtocol = oldest
            configuration.tlsMaximumSupportedProtocol = newest
            return configuration
        }
    }

    /// Formats and logs objects.
    package static func log(
        _ session: URLSession,
        _ task: URLSessionTask
    ) -> String {
        NSLog("%@ has made %@ of %@", session, task, session.configuration)
        return String(format: "<%@> <%@> %d", session, task, 5)
    }
}
