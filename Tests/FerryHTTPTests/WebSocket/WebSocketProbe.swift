import FerryHTTP
import FerrySystem
import FerryTestSupport

/// A WebSocket connection whose calls can be waited for.
@LoopActor final class WebSocketProbe {
    let opening = AsyncValue<(head: HTTPResponseHead, chosen: String?)>()
    let ending = AsyncValue<WebSocketConnection.End>()
    private(set) var connection: WebSocketConnection
    private(set) var refusals: [WebSocketConnection.Refusal] = []

    init(
        _ url: String,
        fields: [HTTPField] = [],
        protocols: [String] = [],
        authorityFile: String? = nil,
        proxies: HTTPProxyList = .direct,
        redirect: WebSocketRequest? = nil,
        configure: (inout WebSocketConnection.Configuration) -> Void = { _ in }
    ) {
        var client = HTTPClient.Configuration(environment: [:])
        client.proxies = proxies
        client.certificateAuthorityFile = authorityFile
        var configuration = WebSocketConnection.Configuration()
        configure(&configuration)
        let box = Box()
        connection = WebSocketConnection(
            WebSocketRequest(url: url, fields: fields, protocols: protocols),
            client: client,
            configuration: configuration,
            events: WebSocketConnection.Events(
                opened: { [opening] in opening.set(($0, $1)) },
                refused: { refusal in
                    box.probe?.refusals.append(refusal)
                    box.probe?.connection.proceed(with: redirect)
                },
                ended: { [ending] in ending.set($0) }
            )
        )
        box.probe = self
    }

    /// The statuses of the answers that were no openings.
    var refusalStatuses: [Int] {
        refusals.compactMap { if case .answer(let head) = $0 { head.status } else { nil } }
    }

    isolated deinit {
        connection.cancel()
    }

    private final class Box {
        weak var probe: WebSocketProbe?
    }

    func receive() async -> Result<WebSocketMessage, WebSocketError> {
        let value = AsyncValue<Result<WebSocketMessage, WebSocketError>>()
        connection.receive { value.set($0) }
        return await value.value
    }

    func send(_ message: WebSocketMessage) async -> WebSocketError? {
        let value = AsyncValue<WebSocketError?>()
        connection.send(message) { value.set($0) }
        return await value.value
    }

    func ping() async -> WebSocketError? {
        let value = AsyncValue<WebSocketError?>()
        connection.ping { value.set($0) }
        return await value.value
    }
}
