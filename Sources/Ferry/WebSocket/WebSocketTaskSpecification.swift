import FerryHTTP
import FerryTransfer
import Foundation
import FoundationNetworking

/// What a WebSocket task is to open, translated for the layers below and checked.
struct WebSocketTaskSpecification: Sendable {
    /// The handshake, by the scheme of HTTP.
    var request: TransferRequest
    let protocols: [String]
    /// Whether the app has named the URL by a scheme of the WebSocket protocol.
    private let usesOwnScheme: Bool

    /// Translates what the app has given.
    ///
    /// - Throws: What the task fails with when it is resumed.
    init(
        _ request: URLRequest,
        protocols: [String],
        configuration: URLSessionConfiguration.Values
    ) throws(URLError) {
        guard let url = request.url else { throw URLError(.unsupportedURL, url: nil) }
        let httpURL = WebSocketRequest(url: url.absoluteString).httpURL
        usesOwnScheme = httpURL != url.absoluteString
        var handshake = request
        handshake.url = URL(string: httpURL)
        handshake.httpMethod = "GET"
        handshake.httpBody = nil
        handshake.httpBodyStream = nil
        do throws(URLError) {
            self.request = try TransferRequest(
                handshake,
                configuration: configuration,
                madeFor: nil
            )
        } catch {
            throw URLError(error.code, url: url)
        }
        // The names stay with the specification, as a redirect to another origin drops fields.
        self.protocols =
            WebSocketRequest(url: httpURL, fields: self.request.fields, protocols: protocols)
            .protocols
    }

    /// The URL by the scheme that the app prefers.
    var url: String { usesOwnScheme ? Self.webSocketURL(request.url) : request.url }

    /// How long nothing may happen until the connection is open.
    var openingTimeout: Duration {
        request.idleTimeout > 0 && request.idleTimeout < 1e9 ? .seconds(request.idleTimeout) : .zero
    }

    private static func webSocketURL(_ url: String) -> String {
        url.hasPrefix("http") ? "ws" + url.dropFirst(4) : url
    }
}
