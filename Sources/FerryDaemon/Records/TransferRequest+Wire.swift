import FerryHTTP
import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

extension TransferRequest {
    /// What a client asks for.
    init(_ request: Wire.Request) {
        self.init(
            url: request.url,
            method: request.method,
            fields: request.fields.map { HTTPField(name: $0.name, value: $0.value) },
            body: request.body.map { Array($0) },
            idleTimeout: request.idleTimeout,
            madeFor: request.madeFor
        )
    }
}

extension TaskRecord {
    /// The address that the task was made with, to whose origin all belongs that is its session's.
    var ownURL: String? { Stored.request(request).map { $0.madeFor ?? $0.url } }

    /// What is sent for the task.
    ///
    /// - Parameters:
    ///   - request: Its request, or what has taken that one's place.
    ///   - fields: The session's fields; the request's own come first.
    /// - Returns: The request.
    func transferRequest(
        _ request: Wire.Request,
        adding fields: [Wire.Field]
    ) -> TransferRequest {
        self.request(request).adding(fields.map { HTTPField(name: $0.name, value: $0.value) })
    }

    /// A request of the task, which knows the address that the task was made for.
    func request(_ request: Wire.Request) -> TransferRequest {
        var request = TransferRequest(request)
        request.madeFor = ownURL
        return request
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
            idleTimeout: request.idleTimeout,
            madeFor: request.madeFor
        )
    }
}
