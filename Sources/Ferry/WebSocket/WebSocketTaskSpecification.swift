import FerryHTTP
import FerryTransfer
import Foundation
import FoundationNetworking

/// The specification of a WebSocket task, checked and translated for the layers below.
struct WebSocketTaskSpecification: Sendable {
    /// The handshake, with an HTTP scheme.
    var request: TransferRequest
    let protocols: [String]
    /// Whether the app's URL has a scheme of the WebSocket protocol.
    private let usesOwnScheme: Bool

    /// Translates the app's request.
    ///
    /// - Throws: The error with which the task fails when it is resumed.
    init(
        _ request: URLRequest,
        protocols: [String],
        configuration: URLSessionConfiguration.Values
    ) throws(URLError) {
        guard let url = request.url else {
            throw URLError(.unsupportedURL, url: nil, reason: "The request has no URL.")
        }
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
        // The names stay with the specification, because a redirect to another origin drops fields.
        self.protocols =
            WebSocketRequest(url: httpURL, fields: self.request.fields, protocols: protocols)
            .protocols
    }

    /// The URL, with the scheme that the app has used.
    var url: String { usesOwnScheme ? Self.webSocketURL(request.url) : request.url }

    /// The idle time-out until the connection is open.
    var openingTimeout: Duration {
        request.idleTimeout > 0 && request.idleTimeout < 1e9 ? .seconds(request.idleTimeout) : .zero
    }

    private static func webSocketURL(_ url: String) -> String {
        url.hasPrefix("http") ? "ws" + url.dropFirst(4) : url
    }
}
