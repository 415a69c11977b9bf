import Ferry
import FerrySystem
import Foundation

/// What was said between a transfer and its servers in the last attempt, without secrets.
struct Conversation {
    /// The words in the names of fields whose values are secret.
    private static let secretWords = [
        "auth", "cookie", "token", "key", "secret", "signature", "credential", "password",
    ]

    /// The lines, as curl marks them: `*` for the connection, `>` for what was sent, `<` for what was received.
    let lines: [String]

    /// The headers of the responses, without marks; the values of secret fields are left out.
    var responses: [String] {
        lines.filter { $0.hasPrefix("< ") }.map { String($0.dropFirst(2)) }
    }

    /// The conversation of a task.
    init(_ metrics: URLSessionTaskMetrics) {
        lines = metrics.transactionMetrics.flatMap { Self.lines(of: $0) }
    }

    private static func lines(of transaction: URLSessionTaskTransactionMetrics) -> [String] {
        let request = transaction.request
        let url = SecretText.masked(request.url?.shown ?? "-")
        var lines = [connection(of: transaction)].compactMap { $0 }
        lines.append("> \(request.httpMethod ?? "GET") \(url)")
        lines += fields(request.allHTTPHeaderFields ?? [:]).map { "> \($0)" }
        guard let response = transaction.response as? HTTPURLResponse else {
            return lines + ["* there was no response"]
        }
        let version = transaction.networkProtocolName ?? "http/1.1"
        let words = HTTPURLResponse.localizedString(forStatusCode: response.statusCode)
        lines.append("< \(version) \(response.statusCode) \(words)")
        lines += fields(response.allHeaderFields).map { "< \($0)" }
        let sent = Figures.byteCount(transaction.countOfRequestBodyBytesSent)
        let received = Figures.byteCount(transaction.countOfResponseBodyBytesReceived)
        let time = duration(transaction.requestStartDate, transaction.responseEndDate)
        return lines + ["* sent \(sent), received \(received)\(time.map { " in \($0)" } ?? "")"]
    }

    private static func connection(of transaction: URLSessionTaskTransactionMetrics) -> String? {
        guard let address = transaction.remoteAddress, let port = transaction.remotePort else {
            return nil
        }
        if transaction.isReusedConnection {
            return "* the connection to \(address) port \(port) again"
        }
        let time = duration(transaction.domainLookupStartDate, transaction.connectEndDate)
        let tls = transaction.negotiatedTLSProtocolVersion.map { version in
            version == .TLSv13 ? ", TLS 1.3" : version == .TLSv12 ? ", TLS 1.2" : ", an old TLS"
        }
        let proxy = transaction.isProxyConnection ? " (a proxy)" : ""
        return "* connected to \(address)\(proxy) port \(port)"
            + "\(time.map { " in \($0)" } ?? "")\(tls ?? "")"
    }

    private static func duration(_ start: Date?, _ end: Date?) -> String? {
        guard let start, let end else { return nil }
        return "\(Int((max(0, end.timeIntervalSince(start)) * 1000).rounded())) ms"
    }

    private static func fields(_ fields: [AnyHashable: Any]) -> [String] {
        fields.map { ("\($0.key)", "\($0.value)") }.sorted { $0.0 < $1.0 }.map { name, value in
            let isSecret = secretWords.contains { name.lowercased().contains($0) }
            return "\(name): \(isSecret ? "…" : SecretText.masked(value))"
        }
    }
}
