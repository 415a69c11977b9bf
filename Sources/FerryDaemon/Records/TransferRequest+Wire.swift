import FerryHTTP
import FerryTransfer
import FerryWire
import FoundationEssentials

extension TransferRequest {
    /// What a client asks for.
    ///
    /// - Parameters:
    ///   - request: The task's request.
    ///   - additional: The session's fields; the request's own come first.
    init(_ request: Wire.Request, adding additional: [Wire.Field] = []) {
        let own = Set(request.fields.map { $0.name.lowercased() })
        let missing = additional.filter { !own.contains($0.name.lowercased()) }
        self.init(
            url: request.url,
            method: request.method,
            fields: (request.fields + missing).map { HTTPField(name: $0.name, value: $0.value) },
            body: request.body.map { Array($0) },
            idleTimeout: request.idleTimeout
        )
    }
}

extension Wire.Request {
    /// What was asked for after redirects, for a client.
    init(_ request: TransferRequest) {
        self.init(
            url: request.url,
            method: request.method,
            fields: request.fields.map { Wire.Field(name: $0.name, value: $0.value) },
            body: request.body.map { Data($0) },
            idleTimeout: request.idleTimeout
        )
    }
}
